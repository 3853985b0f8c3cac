"""Islands on the ladder's cluster: one task per island and generation, for any of its workers.

The hub and its workers belong to the ladder (`ladder hub`, `ladder worker --executor`); they
measure islands between matches. A result depends only on its task, so any worker may compute it,
more than once if necessary: a task whose worker is lost is sent again.

Every member of the cluster can run code on all its machines. So, as for the ladder, every address
except the loopback address needs mutual TLS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from functools import partial
from typing import Any
from uuid import uuid4

from distributed import Client, KilledWorker

from evolve.errors import BadParameter, ClusterUnreachable
from ladder.hub_address import HubAddress

LOSSES = 3
"""After losing this many workers, a task is presumed to be the cause, and fails."""
_CONNECT_SECONDS = 5.0


@contextmanager
def connected(address: HubAddress, game: str) -> Iterator[ClusterExecutor]:
    """Connect to the workers that know the game; raises `BadParameter`, `ClusterUnreachable`."""
    try:
        security = address.security()
    except ValueError as error:
        raise BadParameter(str(error)) from error
    try:
        client = Client(
            address.executor,
            security=security,
            timeout=_CONNECT_SECONDS,
            set_as_default=False,
            name="evolve",
        )
    except (OSError, ValueError) as error:
        raise ClusterUnreachable(
            f"the hub at {address.executor} cannot be reached: {error}"
        ) from error
    try:
        yield ClusterExecutor(client, game)
    finally:
        client.close(timeout=_CONNECT_SECONDS)


class ClusterExecutor(Executor):
    """The current workers of a cluster that know a game."""

    def __init__(self, client: Client, game: str) -> None:
        self._client = client
        self._label = f"game:{game}"
        known = client.scheduler_info(n_workers=-1)["workers"].values()
        if not any(self._label in worker["resources"] for worker in known):
            raise ClusterUnreachable(f"no worker of the cluster knows {game}")

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        answer: Future[Any] = Future()
        self._send(partial(work, *args, **named), answer, LOSSES)
        return answer

    def _send(self, work: Callable[[], Any], answer: Future[Any], losses: int) -> None:
        sent = self._client.submit(
            work, key=f"island-{uuid4().hex}", pure=False, resources={self._label: 1}
        )
        sent.add_done_callback(lambda done: self._receive(done, work, answer, losses))

    def _receive(
        self, done: Any, work: Callable[[], Any], answer: Future[Any], losses: int
    ) -> None:
        try:
            answer.set_result(done.result())
        except KilledWorker as error:
            if losses > 1:
                self._send(work, answer, losses - 1)
            else:
                answer.set_exception(
                    ClusterUnreachable(f"{LOSSES} workers were lost during one task: {error}")
                )
        except CancelledError:
            answer.set_exception(ClusterUnreachable("the hub of the cluster is gone"))
        except Exception as error:
            answer.set_exception(error)
