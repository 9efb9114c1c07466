"""Maslin as a backend of joblib, and so of scikit-learn::

    import maslin.joblib

    with joblib.parallel_config("maslin"):
        search.fit(X, y)

Tasks run in threads of this process. How many at a time, and how many threads BLAS and OpenMP libraries use in each, is
measured; ``n_jobs`` is the most that run at a time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from joblib.parallel import ParallelBackendBase, register_parallel_backend

from . import _core, _name

__all__ = ["MaslinBackend"]


def _name_of(batch: Any) -> str:
    """Gives the name of the function that joblib's batch calls first, through scikit-learn's wrapper."""
    function = batch.items[0][0] if getattr(batch, "items", None) else batch
    return _name(getattr(function, "function", function), "joblib", 0)


class MaslinBackend(ParallelBackendBase):
    """What ``joblib.parallel_config("maslin")`` uses."""

    default_n_jobs = -1
    supports_retrieve_callback = True
    supports_sharedmem = True
    supports_inner_max_num_threads = False
    uses_threads = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._feed: _core.Feed | None = None
        self._earlier: list[_core.Feed] = []  # of calls that were under way when the next one began

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        if n_jobs == 0:
            raise ValueError("n_jobs == 0 in Parallel has no meaning")
        if n_jobs is None:
            return 1
        return n_jobs if n_jobs > 0 else max(_core.workers() + 1 + n_jobs, 1)

    def configure(self, n_jobs: int | None = 1, parallel: Any = None, prefer: str | None = None,
                  require: str | None = None, **_: Any) -> int:
        self.parallel = parallel
        self._at_a_time = self.effective_n_jobs(n_jobs)
        if self._feed is not None:  # of a call that gives its results one by one
            self._feed.begin()
            self._earlier.append(self._feed)
        self._feed = None
        return self._at_a_time

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], None] | None = None) -> None:
        def run(failure: BaseException | None) -> None:
            result = None
            try:
                if failure is None:
                    result = func()
            except BaseException as raised:  # as joblib's own backends: the caller gets it
                failure = raised
            if callback:
                callback((result, failure))

        if self._feed is None:
            self._feed = _core.Feed(_name_of(func), min(self._at_a_time, _core.workers()))
        self._feed.put(run)

    def retrieve_result_callback(self, out: tuple[Any, BaseException | None]) -> Any:
        result, failure = out
        if failure is not None:
            raise failure
        return result

    @contextlib.contextmanager
    def retrieval_context(self) -> Iterator[None]:
        for feed in [*self._earlier, self._feed]:
            if feed is not None:
                feed.begin()
        yield

    def abort_everything(self, ensure_ready: bool = True) -> None:
        if self._feed is not None:
            self._feed.clear()
            self._feed.wait()

    def terminate(self) -> None:
        if self._feed is not None:
            self._feed.wait()
        self._feed = self._earlier.pop() if self._earlier else None

    def get_nested_backend(self) -> tuple[MaslinBackend, None]:
        nested = MaslinBackend(nesting_level=(self.nesting_level or 0) + 1)
        nested.default_n_jobs = 1  # as joblib has it: who wants more inside says so
        return nested, None


register_parallel_backend("maslin", MaslinBackend)
