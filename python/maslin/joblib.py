"""Maslin as a backend of joblib, and so of scikit-learn::

    import maslin.joblib

    with joblib.parallel_config("maslin"):
        search.fit(X, y)

Tasks run in threads of this process. How many at a time, and how many threads BLAS and OpenMP libraries use in each, is
measured; ``n_jobs`` is the most that run at a time.

With ``"maslin-processes"`` they run in processes, ``n_jobs`` at a time, that share this node's CPUs: for pure Python code,
which in threads takes turns.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from joblib.parallel import (  # type: ignore[import-untyped]
    BACKENDS, FallbackToBackend, ParallelBackendBase, register_parallel_backend)

from . import _core, _name, map

__all__ = ["MaslinBackend", "MaslinProcesses"]


def _name_of(batch: Any) -> str:
    """Gives the name of the function that joblib's batch calls first, through scikit-learn's wrapper."""
    function = batch.items[0][0] if getattr(batch, "items", None) else batch
    return _name(getattr(function, "function", function), "joblib", 0)


def _counted(n_jobs: int) -> int:
    """Gives how many that are; negative numbers count back from all workers."""
    return n_jobs if n_jobs > 0 else max(_core.workers() + 1 + n_jobs, 1)


class MaslinBackend(ParallelBackendBase):  # type: ignore[misc]
    """What ``joblib.parallel_config("maslin")`` uses."""

    default_n_jobs = -1
    supports_retrieve_callback = True
    supports_sharedmem = True
    supports_inner_max_num_threads = False
    uses_threads = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.parallel: Any = None  # the call that it serves
        self._feed: _core.Feed | None = None

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        if n_jobs == 0:
            raise ValueError("n_jobs == 0 in Parallel has no meaning")
        if n_jobs is None:
            return 1
        return _counted(n_jobs)

    def configure(self, n_jobs: int | None = 1, parallel: Any = None, prefer: str | None = None,
                  require: str | None = None, **_: Any) -> int:
        if self.parallel is not None:  # all calls under one configuration come here, and some begin inside others
            raise FallbackToBackend(type(self)(nesting_level=self.nesting_level))
        self.parallel = parallel
        self._at_a_time = self.effective_n_jobs(n_jobs)
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
        if self._feed is not None:
            self._feed.begin()
        yield

    def abort_everything(self, ensure_ready: bool = True) -> None:
        if self._feed is not None:
            self._feed.clear()
            self._feed.wait()

    def terminate(self) -> None:
        if self._feed is not None:
            self._feed.wait()
        self._feed = self.parallel = None

    def get_nested_backend(self) -> tuple[MaslinBackend, None]:
        return _inside(self), None


def _inside(backend: ParallelBackendBase) -> MaslinBackend:
    """Gives the backend of calls that tasks of this one make."""
    nested = MaslinBackend(nesting_level=(backend.nesting_level or 0) + 1)
    nested.default_n_jobs = 1  # as joblib has it: who wants more inside says so
    return nested


class _Call:
    """A batch of joblib's as a phase of the process that runs it: libraries inside get the CPUs that the process has."""

    def __init__(self, batch: Callable[[], Any]) -> None:
        self._batch = batch

    def __call__(self) -> Any:
        return map(lambda batch: batch(), [self._batch], name=_name_of(self._batch))[0]


_Processes: Any = BACKENDS["loky"]


class MaslinProcesses(_Processes):  # type: ignore[misc]
    """What ``joblib.parallel_config("maslin-processes")`` uses: joblib's own processes, which Maslin gives CPUs.

    They are a job of their own (MASLIN_NODE), or of this process's where it has one.
    """

    default_n_jobs = -1

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        at_a_time: int = super().effective_n_jobs(_counted(n_jobs) if n_jobs else n_jobs)
        return at_a_time

    def _prepare_worker_env(self, n_jobs: int) -> dict[str, str]:
        env = {} if self.inner_max_num_threads is None else super()._prepare_worker_env(n_jobs)
        return {"MASLIN_NODE": f"joblib-{os.getpid()}", **env} if "MASLIN_NODE" not in os.environ else env

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], None] | None = None) -> Any:
        return super().submit(_Call(func), callback)

    def get_nested_backend(self) -> tuple[MaslinBackend, None]:
        return _inside(self), None


register_parallel_backend("maslin", MaslinBackend)
register_parallel_backend("maslin-processes", MaslinProcesses)
