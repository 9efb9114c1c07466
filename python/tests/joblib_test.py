"""maslin.joblib as a backend of joblib and scikit-learn."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import warnings

import joblib
import maslin
import maslin.joblib
import numpy
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

TOGETHER = 30  # seconds: others come, or the test fails


class Promised:
    """What tasks in threads and in processes do alike."""

    BACKEND: str
    TIMES: int  # that a failure is survived

    def setUp(self):
        config = joblib.parallel_config(self.BACKEND)
        config.__enter__()
        self.addCleanup(config.__exit__, None, None, None)

    def test_gives_results_in_order(self):
        for n in (0, 1, 2, 3, 10, 500):
            self.assertEqual(Parallel()(delayed(pow)(i, 2) for i in range(n)), [i * i for i in range(n)])

    def test_raises_what_a_task_raises_and_serves_on(self):
        def task(i):
            if i == 7:
                raise KeyError(i)
            return i

        for _ in range(self.TIMES):
            with self.assertRaises(KeyError):
                Parallel()(delayed(task)(i) for i in range(100))
            self.assertEqual(Parallel()(delayed(task)(i) for i in range(5)), list(range(5)))

    def test_gives_results_one_by_one(self):
        for how in ("generator", "generator_unordered"):
            got = list(Parallel(return_as=how)(delayed(abs)(-i) for i in range(50)))
            self.assertEqual(sorted(got), list(range(50)))
        self.assertEqual(list(Parallel(return_as="generator")(delayed(abs)(-i) for i in [1])), [1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            next(Parallel(return_as="generator")(delayed(abs)(-i) for i in range(50)))


class Backend(Promised, unittest.TestCase):
    BACKEND, TIMES = "maslin", 20

    def test_is_what_runs(self):
        meet = threading.Barrier(2)
        Parallel()(delayed(meet.wait)(TOGETHER) for _ in range(2))
        maslin.workers()
        self.assertIn("wait", [phase["name"] for phase in maslin.report()["phases"]])

    def test_begins_nothing_behind_an_exception(self):
        begun = []

        def task(i):
            begun.append(i)
            raise ValueError

        with self.assertRaises(ValueError):
            Parallel()(delayed(task)(i) for i in range(10_000))
        self.assertLess(len(begun), 10_000)

    def test_takes_inputs_when_they_are_wanted(self):
        most = [0]
        taken, done = [0], [0]

        def inputs():
            for i in range(500):
                taken[0] += 1
                most[0] = max(most[0], taken[0] - done[0])
                yield delayed(task)(i)

        def task(i):
            done[0] += 1
            return i

        self.assertEqual(Parallel()(inputs()), list(range(500)))
        self.assertLess(most[0], 50)

    def test_runs_at_most_n_jobs_at_a_time(self):
        lock = threading.Lock()
        running, most = [0], [0]

        def task(_):
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            threading.Event().wait(0.001)
            with lock:
                running[0] -= 1

        for n_jobs in (1, 2, 5, -1):
            running[0] = most[0] = 0
            Parallel(n_jobs=n_jobs)(delayed(task)(i) for i in range(40))
            self.assertLessEqual(most[0], 2 if n_jobs < 0 else min(n_jobs, 2))
        self.assertEqual(joblib.effective_n_jobs(-1), 2)
        with self.assertRaises(ValueError):
            Parallel(n_jobs=0)(delayed(abs)(i) for i in range(3))

    def test_gives_results_one_by_one_around_another_call(self):
        for how in ("generator", "generator_unordered"):
            outer = Parallel(return_as=how)(delayed(abs)(-i) for i in range(100))
            self.assertEqual(Parallel()(delayed(abs)(-i) for i in range(9)), list(range(9)))
            self.assertEqual(sorted(outer), list(range(100)))

    def test_keeps_calls_apart_that_are_under_way(self):
        for _ in range(self.TIMES):
            calls = [Parallel(return_as="generator")(delayed(abs)(-i) for i in range(n)) for n in (50, 100, 60)]
            for got, n in zip(calls, (50, 100, 60)):
                self.assertEqual(list(got), list(range(n)))

    def test_begins_a_call_while_another_one_goes_on(self):
        def inputs(meanwhile):
            meanwhile.set()
            time.sleep(0.001)  # the other call's tasks end, and it sends more
            for i in range(9):
                yield delayed(abs)(-i)

        for _ in range(self.TIMES):
            may_end = threading.Event()
            outer = Parallel(return_as="generator")(delayed(may_end.wait)(TOGETHER) for _ in range(100))
            self.assertEqual(Parallel()(inputs(may_end)), list(range(9)))
            self.assertEqual(list(outer), [True] * 100)

    def test_may_be_entered_once_for_several_calls(self):
        with Parallel() as parallel:
            for k in range(10):
                self.assertEqual(parallel(delayed(pow)(i, k) for i in range(20)), [i**k for i in range(20)])

    def test_runs_inside_itself(self):
        def inner(x, y):
            return x * y

        def outer(x, **how):
            return Parallel(n_jobs=-1, **how)(delayed(inner)(x, y) for y in range(5))

        def outer_of_map(x):  # the configuration is its thread's
            return outer(x, backend="maslin")

        self.assertEqual(Parallel()(delayed(outer)(x) for x in range(6)), [[x * y for y in range(5)] for x in range(6)])
        self.assertEqual(maslin.map(outer_of_map, range(3)), [[x * y for y in range(5)] for x in range(3)])
        self.assertEqual(Parallel()(delayed(maslin.map)(abs, [-x]) for x in range(4)), [[0], [1], [2], [3]])
        meet = threading.Barrier(2)
        inside = Parallel(backend="maslin", n_jobs=-1)
        maslin.map(lambda _: inside(delayed(meet.wait)(TOGETHER) for _ in range(2)), [0])

    def test_leaves_a_call_inside_alone_that_does_not_ask_for_more(self):
        def outer(_):
            return threading.get_ident(), set(Parallel()(delayed(threading.get_ident)() for _ in range(9)))

        for thread, inside in Parallel()(delayed(outer)(x) for x in range(6)):
            self.assertEqual(inside, {thread})

    def test_times_out(self):
        over = threading.Event()
        try:
            with self.assertRaises(multiprocessing.TimeoutError):
                Parallel(timeout=0.2)(delayed(over.wait)(1) for _ in range(2))
        finally:
            over.set()

    def test_says_why_a_call_cannot_begin(self):
        program = """
            import joblib, maslin.joblib
            try:
                with joblib.parallel_config("maslin"):
                    joblib.Parallel()(joblib.delayed(abs)(i) for i in range(9))
            except RuntimeError as e:
                print(e)
        """
        for name, value, said in (("MASLIN_WORKERS", "banana", "expected a number of workers"),
                                  ("MASLIN_PIN", "abs=4x1", "'abs' is pinned to 4x1")):
            done = subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(program)], text=True, capture_output=True,
                                  env=os.environ | {name: value}, timeout=120, check=True)
            self.assertIn(said, done.stdout)

    def test_is_stopped_by_ctrl_c(self):
        begun = []

        def task(i):
            begun.append(i)
            if len(begun) == 1:
                os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.001)

        with self.assertRaises(KeyboardInterrupt):
            Parallel()(delayed(task)(i) for i in range(100_000))
        self.assertLess(len(begun), 100_000)
        self.assertEqual(Parallel()(delayed(abs)(-i) for i in range(5)), list(range(5)))

    def test_runs_on_a_described_machine(self):
        program = """
            import joblib, maslin.joblib
            from joblib import Parallel, delayed
            with joblib.parallel_config("maslin"):
                print(Parallel()(delayed(lambda x: sum(Parallel(-1)(delayed(abs)(-y) for y in range(x))))(x) for x in range(8)))
        """
        machine = os.path.join(os.path.dirname(__file__), "..", "..", "specs", "cell-qs20.toml")
        for settings in ({"MASLIN_MACHINE": machine, "MASLIN_WORKERS": "", "MASLIN_QUIET": "1"}, {"MASLIN_SERIAL": "1"}):
            done = subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(program)], text=True, capture_output=True,
                                  env=os.environ | settings, timeout=120, check=True)
            self.assertEqual(done.stdout, f"{[x * (x - 1) // 2 for x in range(8)]}\n")


class Processes(Promised, unittest.TestCase):
    """Children of this process, which joblib keeps for the next call."""

    BACKEND, TIMES = "maslin-processes", 3

    def test_are_others_than_this_one_and_share_the_node(self):
        def task(folder):
            with open(os.path.join(folder, str(os.getpid())), "w"):
                pass
            begin = time.monotonic()
            while len(os.listdir(folder)) < 2 and time.monotonic() < begin + TOGETHER:
                time.sleep(0.001)
            return os.getpid(), os.environ["MASLIN_NODE"], maslin.workers()

        with tempfile.TemporaryDirectory() as folder:
            found = set(Parallel()(delayed(task)(folder) for _ in range(8)))
        self.assertEqual(len({process for process, *_ in found}), 2, found)
        self.assertNotIn(os.getpid(), {process for process, *_ in found})
        self.assertEqual({(job, workers) for _, job, workers in found}, {(f"joblib-{os.getpid()}", maslin.workers())})

    def test_have_a_phase_with_the_functions_name(self):
        def counted(_):
            return [phase["name"] for phase in maslin.report()["phases"]]

        for names in Parallel()(delayed(counted)(i) for i in range(4)):
            self.assertIn("counted", names)

    def test_give_libraries_their_part_of_the_cpus(self):
        def width(_):
            time.sleep(0.01)  # both have tasks
            return os.getpid(), maslin.width()

        begin, last = time.monotonic(), {}
        while sum(last.values()) != maslin.workers() or len(last) < 2:  # until both have joined
            self.assertLess(time.monotonic(), begin + TOGETHER, last)
            last = dict(Parallel()(delayed(width)(i) for i in range(4)))

    def test_may_be_killed(self):
        with self.assertRaises(TerminatedWorkerError):
            Parallel()(delayed(lambda _: os.kill(os.getpid(), signal.SIGKILL))(i) for i in range(4))
        self.assertEqual(Parallel()(delayed(abs)(-i) for i in range(5)), list(range(5)))

    def test_run_calls_inside_a_task_themselves(self):
        def inner(x, y):
            return x * y, os.getpid()

        def outer(x, n_jobs):
            return os.getpid(), Parallel(n_jobs)(delayed(inner)(x, y) for y in range(5))

        for n_jobs in (None, -1):
            for x, (process, found) in enumerate(Parallel()(delayed(outer)(x, n_jobs) for x in range(4))):
                self.assertEqual(found, [(x * y, process) for y in range(5)])

    def test_have_the_threads_that_the_caller_asks_for(self):
        def limit(_):
            return os.environ.get("OMP_NUM_THREADS"), os.environ.get("OPENBLAS_NUM_THREADS")

        with joblib.parallel_config("maslin-processes", inner_max_num_threads=1):
            self.assertEqual(set(Parallel()(delayed(limit)(i) for i in range(4))), {("1", "1")})

    def test_belong_to_the_programs_job(self):
        program = """
            import joblib, os, maslin.joblib
            from joblib import Parallel, delayed
            with joblib.parallel_config("maslin-processes"):
                print(set(Parallel()(delayed(os.environ.get)("MASLIN_NODE") for x in range(4))))
        """
        for job in ("0", "joblib-test-job"):
            done = subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(program)], text=True, capture_output=True,
                                  env=os.environ | {"MASLIN_NODE": job}, timeout=120, check=True)
            self.assertEqual(done.stdout, f"{{'{job}'}}\n")

    def test_search_as_scikit_learn_does_alone(self):
        X, y = make_classification(n_samples=150, n_features=8, random_state=0)
        grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}
        together = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
        with joblib.parallel_config("sequential"):
            alone = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
        numpy.testing.assert_array_equal(alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"])


class ScikitLearn(unittest.TestCase):
    """The same results as sequentially."""

    def test_grid_search(self):
        X, y = make_classification(n_samples=150, n_features=8, random_state=0)
        grid = {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}
        alone = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
        with joblib.parallel_config("maslin"):
            together = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
        numpy.testing.assert_array_equal(alone.cv_results_["mean_test_score"], together.cv_results_["mean_test_score"])
        self.assertEqual(alone.best_params_, together.best_params_)

    def test_random_forest(self):
        X, y = make_classification(n_samples=200, n_features=10, random_state=1)
        alone = RandomForestClassifier(40, random_state=2).fit(X, y)
        with joblib.parallel_config("maslin"):
            together = RandomForestClassifier(40, random_state=2).fit(X, y)
            predicted = together.predict_proba(X)
        numpy.testing.assert_array_equal(alone.feature_importances_, together.feature_importances_)
        numpy.testing.assert_allclose(alone.predict_proba(X), predicted, rtol=1e-12)
        X, y = make_regression(n_samples=200, n_features=10, random_state=1)
        alone = RandomForestRegressor(20, random_state=2).fit(X, y)
        with joblib.parallel_config("maslin"):
            together = RandomForestRegressor(20, random_state=2).fit(X, y)
        numpy.testing.assert_array_equal(alone.feature_importances_, together.feature_importances_)

    def test_searches_over_forests(self):
        X, y = make_classification(n_samples=100, n_features=6, random_state=3)
        search = GridSearchCV(RandomForestClassifier(random_state=0), {"n_estimators": [3, 6]}, cv=3)
        alone = search.fit(X, y).cv_results_["mean_test_score"]
        with joblib.parallel_config("maslin"):
            together = search.set_params(estimator__n_jobs=-1).fit(X, y).cv_results_["mean_test_score"]
            scores = cross_val_score(LogisticRegression(), X, y)
        numpy.testing.assert_array_equal(alone, together)
        numpy.testing.assert_array_equal(scores, cross_val_score(LogisticRegression(), X, y))


if __name__ == "__main__":
    unittest.main(verbosity=2)
