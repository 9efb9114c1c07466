"""Runs one of the jobs that a Python program gives to joblib, and prints its time and its answers as JSON.

    jobs.py JOB BACKEND N_JOBS [--small]

BACKEND: maslin, loky, threading, or sequential. BLAS and OpenMP libraries have as many threads as the environment says.
The data is made, and loky's processes are started, before the clock is.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings

import joblib
import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from sklearn.decomposition import NMF, PCA, FactorAnalysis, FastICA
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC


def classes(samples: int, features: int):
    return make_classification(n_samples=samples, n_features=features, n_informative=features // 2, random_state=7)


def grid_svc(scale: float):
    X, y = classes(int(1500 * scale), 20)
    grid = {"C": [0.1, 1, 10, 100], "gamma": [0.001, 0.01, 0.1, 1]}
    return lambda: list(GridSearchCV(SVC(), grid, cv=4).fit(X, y).cv_results_["mean_test_score"])


def grid_mlp(scale: float):
    X, y = classes(int(3000 * scale), 60)
    grid = {"hidden_layer_sizes": [(50,), (200,), (400,)], "alpha": [1e-4, 1e-2]}
    network = MLPClassifier(max_iter=15, batch_size=200, random_state=0)
    return lambda: list(GridSearchCV(network, grid, cv=4).fit(X, y).cv_results_["mean_test_score"])


def forest(scale: float):
    X, y = classes(int(10000 * scale), 30)
    return lambda: list(RandomForestClassifier(120, random_state=0).fit(X, y).feature_importances_)


def bootstraps(scale: float):
    rows, columns = int(5000 * scale), 150
    random = np.random.default_rng(3)
    A, b = random.normal(size=(rows, columns)), random.normal(size=rows)

    def one(seed: int) -> float:
        taken = np.random.default_rng(seed).integers(0, rows, rows)
        return float(np.linalg.lstsq(A[taken], b[taken], rcond=None)[0].sum())

    return lambda: Parallel()(delayed(one)(seed) for seed in range(200))


def decompositions(scale: float):
    kinds = (PCA, FactorAnalysis, FastICA, NMF)

    def one(i: int) -> float:
        rows, columns = int(scale * 600 * (1 + i * 7 % 12)), 20 + 10 * (i % 6)
        X = np.abs(np.random.default_rng(i).normal(size=(rows, columns)))
        kind = kinds[i % len(kinds)]
        more = {} if kind is PCA else {"max_iter": 60, "tol": 1e-12}
        return float(np.abs(kind(n_components=8, random_state=0, **more).fit_transform(X)).sum())

    return lambda: Parallel()(delayed(one)(i) for i in range(64))


JOBS = {"grid_svc": grid_svc, "grid_mlp": grid_mlp, "forest": forest, "bootstraps": bootstraps,
        "decompositions": decompositions}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("backend", choices=("maslin", "loky", "threading", "sequential"))
    parser.add_argument("n_jobs", type=int)
    parser.add_argument("--small", action="store_true", help="a tenth of the rows: to see that it runs")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # of fits that were stopped early on purpose
    if options.backend == "maslin":
        import maslin.joblib  # noqa: F401  (makes the backend known)
    job = JOBS[options.job](0.1 if options.small else 1.0)
    with joblib.parallel_config(options.backend, n_jobs=options.n_jobs):
        if options.backend != "sequential":
            Parallel()(delayed(np.ones)(1) for _ in range(8))
        begin = time.perf_counter()
        answers = job()
        seconds = time.perf_counter() - begin
    print(json.dumps({"seconds": seconds, "answers": [float(answer) for answer in answers]}))


if __name__ == "__main__":
    main()
