"""The forty programs, and which of them are put aside: decided by name before any was measured."""

from __future__ import annotations

FAMILIES = {
    "serial": ("assembly", "huffman", "k-means", "markov-chain", "multigrid", "reads", "replicas", "sample-sort"),
    "unequal": ("alignment", "gaussian-elimination", "knapsack", "mandelbrot", "n-body", "primes", "queens", "shortest-paths"),
    "bandwidth": ("conjugate-gradients", "gather", "heat", "histogram", "lattice-boltzmann", "prefix-sums", "transposition", "triad"),
    "libraries": ("boundary-elements", "cholesky-solve", "covariance", "eigenvalues", "least-squares", "neural-network", "power-iteration", "svd"),
    "mixes": ("adaptive-quadrature", "annealing", "fft", "genetic-algorithm", "images", "option-pricing", "particles-in-cell", "prime-search"),
}

# Of each family in alphabetical order the odd-numbered are for tuning; the even-numbered are run once, at the end.
TUNED_ON = tuple(name for names in FAMILIES.values() for name in sorted(names)[0::2])
PUT_ASIDE = tuple(name for names in FAMILIES.values() for name in sorted(names)[1::2])

# Of those put aside, these two were run once under `auto` before their time; tables mark them.
SEEN_BEFORE = ("markov-chain", "triad")
