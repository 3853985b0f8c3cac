"""Worker processes that play matches: an `Executor` in which a dying worker fails one match only.

The standard process pool breaks as a whole when a child is killed. Here each process has a thread
that feeds it, so only the match of a killed process fails, and another process takes its place.

Quick matches are sent in batches: otherwise a worker would wait for the next one as long as it
plays. Each has its own answer, to know in which one a worker died; but the thread reads answers
when the last one is due: waking up for each would cost as much as playing.
"""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import os
import pickle
import queue
import select
import signal
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, ParamSpec, TypeVar

from ladder.errors import Overdue, RefereeFailure, RunnerFailure, Shortage
from ladder.host.parent_death import die_with_parent

P = ParamSpec("P")
T = TypeVar("T")

_Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class _Task(NamedTuple):
    future: Future[Any]
    call: _Call
    seconds: float
    """The most seconds that it may take."""


BATCH_SECONDS = 0.05
"""Seconds that a batch of quick tasks may take, estimated by the last ones."""

MOST_IN_BATCH = 64

_LENGTH = struct.Struct("=Q")
_READ_BYTES = 1 << 18


class _Answer(NamedTuple):
    """The result of a call."""

    done: bool
    value: Any
    """The return value or, if it failed, the exception."""
    seconds: float = 0.0


class WorkerPool(Executor):
    def __init__(
        self, workers: int, task_seconds: float = 3600.0, idle_seconds: float | None = None
    ) -> None:
        """A worker whose task takes longer than `task_seconds` is killed, and the task fails.

        A worker that is idle for `idle_seconds` ends until it is needed again.
        """
        self._idle_seconds = idle_seconds
        self._task_seconds = task_seconds
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._context = multiprocessing.get_context("spawn")
        self._cores = itertools.cycle(sorted(os.sched_getaffinity(0)))
        self._lock = threading.Lock()
        self._workers: dict[int, _Worker] = {}
        self._closing = self._cancelled = False
        # Not daemons: a worker dies with the thread that started it, so these threads must last.
        self._threads = [
            threading.Thread(target=self._serve, args=(place,), name=f"worker-{place}")
            for place in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self.submit_within(self._task_seconds, fn, *args, **kwargs)

    def submit_within(
        self, seconds: float, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Like `submit`, with a time limit; the future fails with `Overdue` after it."""
        future: Future[T] = Future()
        with self._lock:
            if self._closing:
                raise RuntimeError("the pool is shut down")
            self._tasks.put(_Task(future, (fn, args, kwargs), seconds))
        return future

    @property
    def process_ids(self) -> list[int]:
        with self._lock:
            return [worker.process.pid or 0 for worker in self._workers.values()]

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish all submitted tasks, or with `cancel_futures` kill the workers at once."""
        with self._lock:
            self._closing = True
            self._cancelled |= cancel_futures
            for _ in self._threads:
                self._tasks.put(None)
            if cancel_futures:
                for worker in self._workers.values():
                    worker.process.kill()
        if wait:
            for thread in self._threads:
                thread.join()

    def _serve(self, place: int) -> None:
        core = next(self._cores)
        seconds = deque([BATCH_SECONDS], maxlen=MOST_IN_BATCH)
        """The durations of the last tasks."""
        while batch := self._take(
            place, int(BATCH_SECONDS / (mean := sum(seconds) / len(seconds)))
        ):
            expected = len(batch) * mean
            while batch:
                try:
                    worker = self._worker(place, core)
                    if not worker.unanswered:
                        worker.hand([task.call for task in batch])
                        if len(batch) > 1:
                            time.sleep(expected)
                    answers = worker.answers(batch[0].seconds)
                    seconds.extend(answer.seconds for answer in answers)
                except (OSError, EOFError) as error:
                    self._drop(place)
                    answers = [_Answer(False, failure(error, f"a worker process died ({error!r})"))]
                except BaseException as error:  # any exception: the caller waits for an answer
                    self._drop(place)
                    answers = [_Answer(False, error)]
                for answer in answers:
                    future = batch.popleft().future
                    if answer.done:
                        future.set_result(answer.value)
                    else:
                        future.set_exception(answer.value)
        self._drop(place)

    def _take(self, place: int, most: int) -> deque[_Task]:
        """The next tasks: at least one, at most a fair share; none once the pool is shut down."""
        batch: deque[_Task] = deque()
        most = min(most, MOST_IN_BATCH)
        with suppress(queue.Empty):
            while not batch or len(batch) < most:
                task = self._tasks.get_nowait() if batch else self._wait_for_task(place)
                if task is None:
                    if batch:
                        self._tasks.put(None)  # for next time
                    break
                if task.future.set_running_or_notify_cancel():
                    if not batch:
                        most = min(most, 1 + self._tasks.qsize() // len(self._threads))
                    batch.append(task)
        return batch

    def _wait_for_task(self, place: int) -> _Task | None:
        try:
            return self._tasks.get(timeout=self._idle_seconds)
        except queue.Empty:
            self._drop(place)
            return self._tasks.get()

    def _worker(self, place: int, core: int) -> _Worker:
        with self._lock:
            if self._cancelled:
                raise EOFError("the pool is shutting down")
            worker = self._workers.get(place)
            if worker is not None and not worker.unanswered and not worker.process.is_alive():
                worker.stop()  # killed while it was idle
                worker = None
            if worker is None:
                worker = self._workers[place] = _Worker(self._context, core)
            return worker

    def _drop(self, place: int) -> None:
        with self._lock:
            worker = self._workers.pop(place, None)
        if worker is not None:
            worker.stop()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, context: multiprocessing.context.SpawnContext, core: int) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, core, os.getpid()), daemon=True)
        with _interrupts_blocked():
            self.process.start()
        theirs.close()
        self._ready = select.poll()
        self._ready.register(self.pipe.fileno(), select.POLLIN)
        self._read = bytearray()
        self.unanswered = 0
        """Calls that it has received."""

    def hand(self, calls: list[_Call]) -> None:
        """Never while it may be answering: both would wait for the other to read."""
        self.pipe.send(calls)
        self.unanswered = len(calls)

    def answers(self, seconds: float) -> list[_Answer]:
        """The answers so far to the first calls; at least one.

        Raises `Overdue` if none comes in time.
        """
        while not (answers := list(self._parse())):
            if not self._ready.poll(1000 * seconds):
                raise Overdue(
                    f"the match lasted longer than the {seconds:.0f} s that its limits allow, and "
                    "its process was stopped; this is a fault of ours"
                )
            # Everything available at once: with each system call, this thread may lose its turn to
            # others of this process.
            read = os.read(self.pipe.fileno(), _READ_BYTES)
            if not read:
                raise EOFError("it left")
            self._read += read
        self.unanswered -= len(answers)
        return answers

    def _parse(self) -> Iterator[_Answer]:
        start = 0
        while (begin := start + _LENGTH.size) <= len(self._read):
            end = begin + _LENGTH.unpack_from(self._read, start)[0]
            if end > len(self._read):
                break
            yield _Answer(*pickle.loads(self._read[begin:end]))
            start = end
        del self._read[:start]

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Processes that this thread starts meanwhile get no Ctrl-C until they unblock it.

    A terminal sends it to all processes at once, and one that is still importing would die of it.
    """
    resource_tracker.ensure_running()  # its first start, by the first process, unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def failure(
    error: BaseException, told: str, otherwise: type[RunnerFailure] = RunnerFailure
) -> RunnerFailure:
    """The failure of a match to be played: a `Shortage` when the machine lacked something."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, Shortage) or (isinstance(cause, OSError) and cause.errno in _SHORT):
            return Shortage(told)
        cause = cause.__cause__ or cause.__context__
    return otherwise(told)


_SHORT = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def _work(pipe: Connection, core: int, parent: int) -> None:
    """The main loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends the workers
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if not die_with_parent(parent):
        return
    # Referee and bots of a match on one core: a message is then a switch, not a trip.
    os.sched_setaffinity(0, {core})
    while True:
        try:
            calls = pipe.recv()
        except EOFError:
            return
        for fn, args, kwargs in calls:
            began = time.monotonic()
            try:
                done, value = True, fn(*args, **kwargs)
            except Exception as error:
                done, value = False, _told(error)
            answer = pickle.dumps((done, value, time.monotonic() - began), pickle.HIGHEST_PROTOCOL)
            _write(pipe.fileno(), _LENGTH.pack(len(answer)) + answer)


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _told(error: Exception) -> RunnerFailure:
    text = f"{type(error).__name__}: {error}"
    by_worker = isinstance(error, RunnerFailure) and not isinstance(error, RefereeFailure)
    return failure(error, text, RunnerFailure if by_worker else RefereeFailure)
