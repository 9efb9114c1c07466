"""Which polynomial, and how strongly regularized, describes the data best? Each candidate is fitted several times
(cross-validation) and calls numpy, which has threads of its own. Maslin chooses how many candidates run at a time."""

import itertools
import sys
import time

import maslin
import numpy as np

FOLDS = 4


def measurements(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    x = random.uniform(-1, 1, n)
    return x, 1 - 3 * x + 4 * x**3 + random.normal(scale=0.1, size=n)


X, Y = measurements(2000)


def error(candidate: tuple[int, float]) -> float:
    """Gives the mean square error of a candidate on data that it was not fitted to."""
    degree, strength = candidate
    powers = np.vander(X, degree + 1)
    errors = []
    for fold in range(FOLDS):
        held_out = np.arange(len(X)) % FOLDS == fold
        a, y = powers[~held_out], Y[~held_out]
        coefficients = np.linalg.solve(a.T @ a + strength * np.eye(degree + 1), a.T @ y)
        errors.append(np.mean((powers[held_out] @ coefficients - Y[held_out]) ** 2))
    return float(np.mean(errors))


def main() -> int:
    candidates = list(itertools.product(range(1, 25), (0.001, 0.1, 10.0)))
    begin = time.perf_counter()
    errors = maslin.map(error, candidates, costs=[degree + 1 for degree, _ in candidates])
    middle = time.perf_counter()
    expected = [error(candidate) for candidate in candidates]
    end = time.perf_counter()
    if not np.allclose(errors, expected):
        print("wrong: the errors differ from those of a loop")
        return 1
    best = candidates[int(np.argmin(errors))]
    if best[0] not in range(3, 8) or not 0.009 < min(errors) < 0.011:
        print(f"wrong: degree {best[0]} with an error of {min(errors)}")
        return 1
    print(f"{len(candidates)} candidates; degree {best[0]} has the smallest error, {min(errors):.3f}")
    print(f"maslin.map took {middle - begin:.3f} s on {maslin.workers()} workers, a loop {end - middle:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
