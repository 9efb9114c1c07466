"""Items that call native code: C code that calls Maslin itself, and BLAS libraries."""

import os
import subprocess
import sys
import textwrap
import unittest

import maslin
import numpy
from threadpoolctl import threadpool_info

# The C interface, with the C library's usleep as the body of a loop or a phase.
C_CALLS = """
    import ctypes, pathlib, threading
    import maslin

    library = ctypes.CDLL(str(pathlib.Path(maslin.__file__).with_name("libmaslin.so.0")))
    usleep = ctypes.CDLL(None).usleep

    class Location(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("line", ctypes.c_int)]

    here = Location(b"native_test.py", 1)

    def native_loop(blocks, microseconds):
        return library.maslin_parallel_for_at(here, ctypes.c_int64(0), ctypes.c_int64(blocks), usleep,
                                              ctypes.c_void_p(microseconds), None)

    def native_phase(streams, microseconds):
        return library.maslin_phase_at(here, b"native", ctypes.c_int64(streams), usleep, ctypes.c_void_p(microseconds))

    def deep(frames, call):
        return deep(frames - 1, call) if frames else call()
"""


def run(program: str, **settings: str) -> str:
    done = subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(C_CALLS) + textwrap.dedent(program)], text=True,
                          env=os.environ | settings, capture_output=True, timeout=120, check=False)
    if done.returncode != 0:
        raise AssertionError(f"status {done.returncode}: {done.stderr[-3000:]}")
    return done.stdout


class CallsOfMaslin(unittest.TestCase):
    def test_that_wait_in_an_item_leave_its_frames_alone(self):
        """The worker takes another item meanwhile: that must not lie on top of this one's frames."""
        program = """
            def item(x):
                for i in range(5):
                    assert deep(i, lambda: native_loop(1 + x % 5, 200 + 100 * (x % 7))) == 0
                return x

            for _ in range(5):
                assert maslin.map(lambda _: maslin.map(item, range(60)), [0]) == [list(range(60))]
                assert maslin.map(item, range(20)) == list(range(20))
        """
        for workers in "234":
            run(program, MASLIN_WORKERS=workers)

    def test_that_run_phases_do_not_move_an_item_to_another_thread(self):
        program = """
            moved = []

            def item(x):
                thread = threading.get_native_id()
                for i in range(5):
                    sum(range(20_000))
                    assert deep(i, lambda: native_phase(3, 200)) == 0
                    if threading.get_native_id() != thread:
                        moved.append(x)
                return x

            for _ in range(2):
                assert maslin.map(item, range(60)) == list(range(60))
            assert not moved
        """
        for policy in ("auto", "s-mgps"):
            run(program, MASLIN_GRAIN=policy)


class Libraries(unittest.TestCase):
    @staticmethod
    def blas_threads():
        return max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")

    def setUp(self):
        numpy.linalg.solve(numpy.eye(2), numpy.ones(2))
        self.before = self.blas_threads()

    def test_have_as_many_threads_as_the_item_was_granted(self):
        def threads(_):
            numpy.linalg.eigh(numpy.eye(50))
            return self.blas_threads(), maslin.width()

        for used, granted in maslin.map(threads, range(40)):
            self.assertLessEqual(used, granted)
        for used, granted in maslin.map(lambda _: maslin.map(threads, range(4)), [0])[0]:
            self.assertEqual((used, granted), (1, 1))

    def test_have_what_they_had_outside(self):
        maslin.map(lambda _: numpy.linalg.eigh(numpy.eye(50)), range(10))
        self.assertEqual(self.blas_threads(), self.before)

    def test_run_at_the_same_time(self):
        """numpy lets go of the interpreter while it computes."""
        def svd(seed):
            return numpy.linalg.svd(numpy.random.default_rng(seed).normal(size=(60, 60)), compute_uv=False)

        together = maslin.map(svd, range(30))
        for seed, values in enumerate(together):
            numpy.testing.assert_allclose(values, svd(seed), rtol=1e-12)


if __name__ == "__main__":
    unittest.main(verbosity=2)
