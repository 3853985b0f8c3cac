"""A tournament on three machines completes although one is cut off and one is killed.

    python -m prove.three_hosts [--bots 16]

The machines are network namespaces of this one, which needs root. A hub and a server are on a
fourth one; all trust only one certificate authority. During the tournament the cable of one machine
is cut and later repaired, and another machine is killed with -9 and later restarted. Every match
must be recorded once, with the same result as in one calm process.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import sqlalchemy as sa

from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.models import Failure, Match
from ladder.runner import close_reserves
from ladder.runner.selftest import choose_tier
from ladder.store import Database
from ladder.values import MatchStatus, TournamentStatus
from prove.chaos import PreparedLadder, check, count_of
from prove.harness.bots import GAME, PATIENT_FLAGS, enter_bots, play_all
from prove.harness.hosts import Host, NoHosts, hosts
from prove.harness.processes import LadderProcess, wait_until

KEYS = Path(__file__).parent.parent / "setup/cluster-keys.sh"
NAMES = ("alpha", "beta", "gamma")
SANDBOXED = 2
UP = "Ctrl-C stops it"
LONGEST_SECONDS = 900


def prepare(data: Path, bots: int, tier: str) -> PreparedLadder:
    """A ladder with the same round robin every time."""
    data.mkdir(parents=True)
    data.chmod(0o755)
    db = Database(f"sqlite:///{data}/ladder.db")
    enter_bots(db, data, bots, SANDBOXED, tier)
    run = tournaments.create(
        db,
        tournaments.NewTournament(
            GAME, "round-robin", Selection(top=bots), FormatOptions(seed=2026, legs=4)
        ),
        actor="the proof",
    )
    close_reserves()
    return PreparedLadder(db, data, [], run.id)


class ThreeHosts:
    def __init__(
        self, folder: Path, ladder: PreparedLadder, centre: Host, around: list[Host]
    ) -> None:
        keys = folder / "keys"
        subprocess.run([KEYS, keys, "hub", "server", *NAMES], check=True)
        address = f"tls://{centre.address}:8786"

        def start(host: Host, name: str, *arguments: str) -> LadderProcess:
            where = {
                "LADDER_EXECUTOR": address,
                "LADDER_DATA": str(ladder.data if name == "server" else folder / name),
                "LADDER_TLS_CA": str(keys / "ca.pem"),
                "LADDER_TLS_CERT": str(keys / f"{name}.pem"),
                "LADDER_TLS_KEY": str(keys / f"{name}.key"),
            }
            return LadderProcess(folder, name, *arguments, variables=where, before=host.inside)

        self.hub = start(centre, "hub", "hub")
        self.hub.await_words(UP)
        work = ("worker", "--workers", "1", *PATIENT_FLAGS)
        self.workers = [start(host, name, *work) for host, name in zip(around, NAMES, strict=True)]
        for worker in self.workers:
            worker.await_words(UP)
        self.server = start(centre, "server", "serve", "--port", "0", *PATIENT_FLAGS)
        self.server.await_words(UP)

    @property
    def parts(self) -> list[LadderProcess]:
        return [self.server, *self.workers, self.hub]


def finished(ladder: PreparedLadder) -> int:
    done = sa.select(sa.func.count()).where(
        Match.tournament_id == ladder.bracket, Match.status == MatchStatus.FINISHED
    )
    return count_of(ladder.db, done)


def is_over(ladder: PreparedLadder) -> bool:
    view = tournaments.tournament(ladder.db, ladder.bracket)
    return view.status is TournamentStatus.FINISHED


def disturb(ladder: PreparedLadder, cluster: ThreeHosts, first: Host) -> None:
    alpha, beta, _ = cluster.workers
    began, planned = time.monotonic(), tournaments.tournament(ladder.db, ladder.bracket).matches

    def tell(what: str) -> None:
        print(
            f"{time.monotonic() - began:5.0f} s, {finished(ladder)} of {planned} matches: {what}",
            flush=True,
        )

    def wait_for(share: float) -> None:
        wait_until(
            lambda: finished(ladder) >= share * planned, LONGEST_SECONDS, "playing the tournament"
        )

    wait_for(0.2)
    first.cut()
    tell("alpha is cut off")
    wait_for(0.4)
    beta.kill()
    tell("beta is killed")
    wait_for(0.6)
    first.mend()
    beta.start()
    tell("alpha has its cable back, and beta is started again")
    wait_until(lambda: is_over(ladder), LONGEST_SECONDS, "the end of the tournament")
    tell("the tournament is over")
    beta.await_words(UP)
    wait_until(lambda: alpha.count(UP) == 2, 120, "alpha's return")
    tell("all three machines are in the cluster")


def prove(folder: Path, bots: int) -> list[str]:
    tier = choose_tier(folder, None)
    calm = prepare(folder / "calm/data", bots, tier)
    play_all(calm.db, calm.data, tier)
    ladder = prepare(folder / "cluster/data", bots, tier)
    with hosts(NAMES) as (centre, around):
        cluster = ThreeHosts(folder / "cluster", ladder, centre, around)
        try:
            disturb(ladder, cluster, around[0])
            wrong = [
                f"{part.name} ended with {status}"
                for part in cluster.parts
                if (status := part.stop())
            ]
            wrong += [
                f"processes of {part.name} are left: {left}"
                for part in cluster.parts
                if (left := part.left_over())
            ]
        finally:
            for part in cluster.parts:
                if part.runs:
                    part.kill()
    failed = count_of(ladder.db, sa.select(sa.func.count()).select_from(Failure))
    print(f"{failed} attempts to play failed and were repeated")
    wrong += check(ladder, calm)
    calm.db.close()
    ladder.db.close()
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=16)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="ladder-hosts-"))
    folder.chmod(0o755)  # bots with other user ids must have access
    try:
        wrong = prove(folder, options.bots)
    except NoHosts as error:
        wrong = [f"three machines cannot be made here: {error}"]
    finally:
        close_reserves()
    if wrong:
        raise SystemExit("\n".join([*wrong, f"the data of the failed run is in {folder}"]))
    shutil.rmtree(folder)
    print("every match was recorded once, and nothing is left behind")


if __name__ == "__main__":
    main()
