"""What maslin.map and maslin.phase promise."""

import contextvars
import functools
import os
import signal
import threading
import traceback
import unittest

import maslin

TOGETHER = 30  # seconds: others come, or the test fails


def meet(_):
    """Returns when another item runs at the same time."""
    meet.barrier.wait(TOGETHER)


class Map(unittest.TestCase):
    def setUp(self):
        meet.barrier = threading.Barrier(2)

    def test_gives_results_in_order_from_any_iterable(self):
        for items in ([3, 1, 2], (1,), range(100), iter("abc"), (i * i for i in range(50)), {"a": 1, "b": 2}, [], set()):
            kept = list(items)
            self.assertEqual(maslin.map(lambda x: (x, x), iter(kept)), [(x, x) for x in kept])

    def test_runs_items_at_the_same_time(self):
        maslin.map(meet, range(2))

    def test_runs_in_other_threads_than_its_caller(self):
        self.assertNotIn(threading.get_ident(), maslin.map(lambda _: threading.get_ident(), range(10)))

    def test_raises_the_earliest_exception(self):
        late = threading.Event()

        def raises(x):
            if x == 5:
                late.wait(TOGETHER)
                raise KeyError(x)
            if x == 6:
                late.set()
                raise ValueError(x)

        for _ in range(20):
            late.clear()
            with self.assertRaises(KeyError) as caught:
                maslin.map(raises, range(8))
            self.assertEqual(caught.exception.args, (5,))

    def test_runs_all_items_before_one_that_raises_and_does_not_begin_the_rest(self):
        begun = set()

        def raises(x):
            begun.add(x)
            if x == 20:
                raise ValueError

        with self.assertRaises(ValueError):
            maslin.map(raises, range(100_000))
        self.assertLessEqual(set(range(21)), begun)
        self.assertLess(len(begun), 100_000)

    def test_shows_where_an_item_raised(self):
        def culprit(x):
            return 1 // x

        try:
            maslin.map(culprit, [0])
        except ZeroDivisionError as e:
            self.assertIn("culprit", traceback.format_exc())
            self.assertIsNone(e.__context__)
        else:
            self.fail("nothing was raised")

    def test_raises_what_is_no_exception_of_programs_too(self):
        def leaves(_):
            raise SystemExit(3)

        with self.assertRaises(SystemExit):
            maslin.map(leaves, range(3))

    def test_can_be_called_again_after_an_exception(self):
        for _ in range(50):
            with self.assertRaises(ZeroDivisionError):
                maslin.map(lambda x: 1 // x, [1, 0, 2])
            self.assertEqual(maslin.map(abs, [-1, 2]), [1, 2])

    def test_begins_the_most_expensive_first(self):
        begun = []
        lock = threading.Lock()

        def note(x):
            with lock:
                begun.append(x)

        maslin.map(note, range(64), costs=[x % 8 for x in range(64)])
        self.assertEqual(sorted(begun), list(range(64)))
        for place, item in enumerate(begun):  # two run at a time, so each stands nearly where it belongs
            self.assertLessEqual(7 - place // 8 - 1, item % 8)
        self.assertEqual(maslin.map(abs, [1, 2, 3], costs=iter([1, 3, 2])), [1, 2, 3])

    def test_refuses_costs_that_make_no_sense(self):
        for costs in ([1], [1, 2, 3], [1, float("nan")]):
            with self.assertRaises(ValueError):
                maslin.map(abs, [1, 2], costs=costs)
        with self.assertRaises(TypeError):
            maslin.map(3, [1, 2])

    def test_gives_each_item_a_copy_of_the_context(self):
        variable = contextvars.ContextVar("variable", default=0)
        variable.set(7)

        def change(x):
            seen = variable.get()
            variable.set(x)
            return seen

        self.assertEqual(maslin.map(change, range(20)), [7] * 20)
        self.assertEqual(variable.get(), 7)

    def test_keeps_what_is_local_to_a_thread(self):
        local = threading.local()
        made = []

        def use(_):
            if not hasattr(local, "mine"):
                local.mine = threading.get_ident()
                made.append(local.mine)
            return local.mine == threading.get_ident()

        for _ in range(20):
            self.assertTrue(all(maslin.map(use, range(20))))
        self.assertEqual(len(made), len(set(made)))

    def test_can_be_called_by_several_threads(self):
        results = [None] * 8

        def caller(i):
            results[i] = [maslin.map(lambda x: x * i, range(50)) for _ in range(5)]

        threads = [threading.Thread(target=caller, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [[[x * i for x in range(50)]] * 5 for i in range(8)])

    def test_lets_an_item_wait_for_threads_that_call_it(self):
        def outer(x):
            got = []
            thread = threading.Thread(target=lambda: got.append(maslin.map(lambda y: x + y, range(3))))
            thread.start()
            thread.join()
            return got[0]

        self.assertEqual(maslin.map(outer, range(4)), [[x, x + 1, x + 2] for x in range(4)])

    def test_holds_no_reference_to_what_it_was_given(self):
        class Thing:
            pass

        import weakref

        things = [Thing() for _ in range(10)]
        alive = [weakref.ref(thing) for thing in things]
        results = maslin.map(lambda thing: thing, things)
        with self.assertRaises(RuntimeError):
            maslin.map(self.raise_of, things)
        del things, results
        self.assertEqual([ref() for ref in alive], [None] * 10)

    @staticmethod
    def raise_of(_):
        raise RuntimeError


class Nested(unittest.TestCase):
    def setUp(self):
        meet.barrier = threading.Barrier(2)

    def test_gives_the_same_results(self):
        def tree(depth):
            return 1 if depth == 0 else sum(maslin.map(tree, [depth - 1] * 3))

        self.assertEqual(maslin.map(tree, [4, 3, 4, 2]), [81, 27, 81, 9])

    def test_uses_workers_that_are_idle(self):
        maslin.map(lambda _: maslin.map(meet, range(2)), [0])

    def test_raises_the_earliest_exception(self):
        def inner(x):
            if x % 4 == 3:
                raise ValueError(x)
            return x

        with self.assertRaises(ValueError) as caught:
            maslin.map(lambda x: maslin.map(inner, range(10 * x, 10 * x + 10)), range(1, 6))
        self.assertEqual(caught.exception.args, (11,))

    def test_may_hold_a_lock_that_its_own_items_do_not_want(self):
        lock = threading.RLock()

        def outer(x):
            with lock:
                return maslin.map(lambda y: x * y, range(3))

        self.assertEqual(maslin.map(outer, range(10)), [[0, x, 2 * x] for x in range(10)])


class Phase(unittest.TestCase):
    def test_runs_each_stream_once(self):
        for streams in (0, 1, 2, 100):
            ran = []
            self.assertIsNone(maslin.phase(streams, ran.append))
            self.assertEqual(sorted(ran), list(range(streams)))

    def test_runs_the_others_when_some_raise_and_raises_that_of_the_lowest(self):
        ran = []

        def stream(i):
            ran.append(i)
            if i in (4, 9):
                raise ValueError(i)

        with self.assertRaises(ValueError) as caught:
            maslin.phase(30, stream)
        self.assertEqual(caught.exception.args, (4,))
        self.assertEqual(sorted(ran), list(range(30)))

    def test_may_call_map(self):
        got = [None] * 6

        def stream(i):
            got[i] = maslin.map(lambda x: x * i, range(5))

        maslin.phase(6, stream)
        self.assertEqual(got, [[x * i for x in range(5)] for i in range(6)])

    def test_refuses_a_negative_number(self):
        with self.assertRaises(ValueError):
            maslin.phase(-1, print)


class Interrupts(unittest.TestCase):
    def setUp(self):
        self.before = signal.getsignal(signal.SIGINT)

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)

    def run_interrupted(self, call):
        """Gives how many of very many items had begun when the first of them was interrupted, and its others ended."""
        handled = threading.Event()

        def handler(*_):
            handled.set()
            raise KeyboardInterrupt

        signal.signal(signal.SIGINT, handler)
        begun = []

        def item(x):
            begun.append(x)
            if len(begun) == 1:
                os.kill(os.getpid(), signal.SIGINT)
            handled.wait(TOGETHER)

        with self.assertRaises(KeyboardInterrupt):
            call(item, 1_000_000)
        return len(begun)

    def test_stop_a_map(self):
        self.assertLess(self.run_interrupted(lambda item, n: maslin.map(item, range(n))), 1_000_000)
        self.assertEqual(maslin.map(abs, [-1]), [1])

    def test_stop_a_phase(self):
        self.assertLess(self.run_interrupted(lambda item, n: maslin.phase(n, item)), 1_000_000)

    def test_stop_a_map_inside(self):
        nested = self.run_interrupted(lambda item, n: maslin.map(lambda _: maslin.map(item, range(n)), range(4)))
        self.assertLess(nested, 1_000_000)


class Reports(unittest.TestCase):
    def test_name_the_function_or_the_place(self):
        def fit(_):
            pass

        maslin.map(fit, [1, 2])
        maslin.map(functools.partial(fit), [1, 2, 3])
        maslin.map(lambda _: None, [1])
        maslin.map(fit, [1], name="named")
        phases = {phase["name"]: phase for phase in maslin.report()["phases"]}
        self.assertEqual(phases["fit"]["times"], 2)
        self.assertEqual(phases["fit"]["streams"], 3)
        self.assertIn("named", phases)
        self.assertTrue([name for name in phases if name.startswith("calls_test.py:")], phases)
        self.assertIn("phase fit: 3 streams", maslin.explain())
        self.assertEqual(maslin.report()["program"], "calls_test.py")

    def test_tell_the_workers(self):
        self.assertEqual(maslin.workers(), 2)
        self.assertEqual(maslin.width(), 2)
        self.assertLessEqual(set(maslin.map(lambda _: maslin.width(), range(10))), {1, 2})
        self.assertEqual(set(maslin.map(lambda _: tuple(maslin.map(lambda _: maslin.width(), range(3))), range(3))),
                         {(1, 1, 1)})
        self.assertEqual(maslin.report()["workers"], 2)

    def test_give_the_version(self):
        from importlib.metadata import version

        self.assertEqual(maslin.__version__, version("maslin"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
