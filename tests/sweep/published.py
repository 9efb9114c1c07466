"""What the original program gives: ASCI Sweep3D 2.2b, files output.50.single (50^3 cells) and output.150.single (150^3),
and output.50.mpi_2x3 for another cut. Iteration errors, fixups, balance. Its README asks for ten equal digits, and for
equal integers: processors and compilers round differently, and an error is a difference of fluxes that are nearly equal.
"""

ERRORS = {
    50: (1.00000000000000000, 1.77512975262900663, 0.659083802218004111, 0.305348671948976524, 0.141234079272600122,
         0.627896461395282685e-01, 0.266955948954897340e-01, 0.199563042302687288e-01, 0.568793011796733545e-02,
         0.185412756334039897e-02, 0.681074826574155846e-03, 0.261752203210804436e-03),
    150: (1.00000000000000000, 197.571812853557844, 1.43683571069505467, 0.659707702712034161, 0.403871684044252277,
          0.260737026547890050, 0.169897955140099949, 0.246048595763034422, 0.704761545149895641e-01,
          0.436432705023295370e-01, 0.267308565945803892e-01, 0.155931674061009842e-01),
}
FIXUPS = {
    50: (0,) * 7 + (12000, 11712, 11664, 11664, 11664),
    150: (0,) * 7 + (873936, 835176, 818336, 809760, 804960),
}
SOURCE = {50: 4.09599999999970255, 150: 125.000000000232802}
ABSORPTION = {50: 3.34341746482859037, 150: 124.346866770809299}
LEAKAGE = {
    50: (-0.125419419635145579, 0.125419419635145551, -0.125419419635144441, 0.125419419635144469, -0.125419421915668072,
         0.125419421915668072),
    150: (-0.104657868098360335, 0.104657868098360418, -0.104657868098357143, 0.104657868098357032, -0.104657869207649634,
          0.104657869207649579),
}

ERROR_DIGITS = 1e-10  # relative: what the README asks for
BALANCE_DIGITS = 1e-13


def differences(cells, found):
    """Gives what of a result (as --json prints it) is not as published, a line each."""
    wrong = []

    def expect(what, ours, theirs, bound):
        if not abs(ours - theirs) <= bound * abs(theirs):
            wrong.append(f"{what} is {ours!r}; published: {theirs!r}")

    iterations, balance = found["iterations"], found["balance"]
    expect("the number of iterations", len(iterations), len(ERRORS[cells]), 0)
    for number, (one, error, fixups) in enumerate(zip(iterations, ERRORS[cells], FIXUPS[cells]), 1):
        expect(f"the error of iteration {number}", one["error"], error, ERROR_DIGITS)
        expect(f"the fixups of iteration {number}", one["fixups"], fixups, 0)
    expect("the external source", balance["source"], SOURCE[cells], BALANCE_DIGITS)
    expect("the absorption", balance["absorption"], ABSORPTION[cells], BALANCE_DIGITS)
    for side, (ours, theirs) in enumerate(zip(balance["leakage"], LEAKAGE[cells])):
        expect(f"leakage {side}", ours, theirs, BALANCE_DIGITS)
    return wrong
