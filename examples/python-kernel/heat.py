"""Heat spreads in a plate: the same array by the plain loop and by tasks."""

import sys
import time

import numpy as np
from smoother import smooth, smooth_alone

POINTS, SWEEPS = 1000, 20


def plate() -> np.ndarray:
    heat = np.zeros((POINTS, POINTS))
    heat[0, :] = 100  # one edge is hot
    return heat


def main() -> int:
    alone, together, turned = plate(), plate(), plate()

    begin = time.perf_counter()
    smooth_alone(alone, SWEEPS)
    middle = time.perf_counter()
    smooth(together, SWEEPS)
    end = time.perf_counter()
    smooth(turned.T, SWEEPS)  # a view: columns are rows there
    smooth_alone(again := plate().T, SWEEPS)

    if not (np.array_equal(alone, together) and np.array_equal(again, turned.T)):
        print("wrong: the tasks give another plate than the loop")
        return 1
    print(f"{POINTS} x {POINTS} points, {SWEEPS} sweeps: the same to the last bit, also of a transposed view")
    print(f"the loop took {middle - begin:.3f} s, tasks {end - middle:.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
