"""Every problem of every file, run in order: here, or in several processes."""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from gradcli.batch.entries import Entry
from gradcli.batch.files import Reading, Task
from gradcli.batch.running import Manner, Outcome
from gradcli.errors import GradcliError

if TYPE_CHECKING:
    from concurrent.futures import Executor, ProcessPoolExecutor

#: problems that are run together, and that one process takes at a time
TOGETHER = 2_048
#: seconds between two times that garbage is collected
PAUSE = 1.0
#: problems that a process takes at a time where there are few in all
FEWEST = 4


class Done(NamedTuple):
    """A problem that was run, or a line that holds none.

    ``entry`` is None for a line that is at fault; ``title`` is the name of the file.
    """

    title: str
    entry: Entry | None
    outcome: Outcome


Part = list[Task]
Wanted = Callable[[Entry], bool]


def run_all(readings: Sequence[Reading], manner: Manner, wanted: Wanted, jobs: int) -> Iterator[Done]:
    """The outcome of every problem that is wanted, in order, as they come.

    Args:
        readings: opened files.
        manner: how results are to be written.
        wanted: which problems are run; lines at fault always come through.
        jobs: how many processes; 1 runs everything here.
    """
    parts = _parts(readings, wanted, jobs)
    if not gc.isenabled():
        gc.freeze()  # what is loaded stays
    if jobs == 1:
        tidy = _Tidy()
        for title, part in parts:
            yield from _told(title, part, run_part(_entries(part), manner))
            tidy()
        return
    with _processes(jobs) as pool:
        waiting: deque[tuple[str, Part, Iterator[Outcome]]] = deque()
        for title, part in parts:
            waiting.append((title, part, _answers(pool, part, manner)))
            if len(waiting) > 2 * jobs:
                yield from _told(*waiting.popleft())
        while waiting:
            yield from _told(*waiting.popleft())


def run_part(entries: Sequence[Entry], manner: Manner) -> Iterator[Outcome]:
    """The outcomes of some entries, in order."""
    from gradcli.batch.grouping import run_together

    return run_together(entries, manner)


class _Tidy:
    """Collects what problems left behind, where nobody else does: this process hurries past it at its start."""

    def __init__(self) -> None:
        self.last = monotonic()

    def __call__(self) -> None:
        if not gc.isenabled() and monotonic() - self.last > PAUSE:
            gc.collect(0)
            self.last = monotonic()


def _parts(readings: Sequence[Reading], wanted: Wanted, jobs: int) -> Iterator[tuple[str, Part]]:
    for reading in readings:
        for block in reading.blocks:
            kept = [task for task in block if isinstance(task, GradcliError) or wanted(task)]
            size = TOGETHER if jobs == 1 else min(TOGETHER, max(FEWEST, -(-len(kept) // (2 * jobs))))
            for begin in range(0, len(kept), size):
                yield reading.title, kept[begin : begin + size]


def _entries(part: Part) -> list[Entry]:
    return [task for task in part if isinstance(task, Entry)]


def _told(title: str, part: Part, outcomes: Iterator[Outcome]) -> Iterator[Done]:
    """Outcomes with their entries; lines at fault in between, each at its place."""
    for task in part:
        if isinstance(task, Entry):
            yield Done(title, task, next(outcomes))
        else:
            yield Done(title, None, Outcome("refused", error=task))


def _answers(pool: Executor, part: Part, manner: Manner) -> Iterator[Outcome]:
    """The outcomes of a part that another process works on already."""
    future = pool.submit(_work, [entry.detached() for entry in _entries(part)], manner)

    def waited() -> Iterator[Outcome]:
        from concurrent.futures.process import BrokenProcessPool

        try:
            yield from future.result()
        except BrokenProcessPool:
            hint = "it may have run out of memory: try fewer --jobs"
            raise GradcliError("a process of the batch ended before its work was done", hint=hint) from None

    return waited()


def _work(entries: list[Entry], manner: Manner) -> list[Outcome]:
    return list(run_part(entries, manner))


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    """A pool whose processes are forked from one that has loaded torch and run nothing."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        from multiprocessing import forkserver, resource_tracker

        resource_tracker.ensure_running()  # which lets interrupts through again once it has started
        context.set_forkserver_preload(["gradcli.batch.worker"])
        with _interrupts_held():  # what is started meanwhile never sees one, not even while it loads torch
            forkserver.ensure_running()
    from gradcli.batch.worker import prepare

    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=prepare)
    try:
        yield pool
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end(pool: ProcessPoolExecutor) -> None:
    """Stop all processes at once, and give back the semaphores that they shared."""
    from multiprocessing import get_all_start_methods, util

    if "forkserver" in get_all_start_methods():
        from multiprocessing import forkserver

        server = getattr(forkserver._forkserver, "_forkserver_pid", None)
        if server is not None:  # or it would go on to make a process that was asked for
            with suppress(OSError):
                os.kill(server, signal.SIGKILL)
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool.shutdown(wait=False, cancel_futures=True)
    # not the queues' threads, which may wait for readers that are gone
    util._run_finalizers(0)  # type: ignore[attr-defined]
