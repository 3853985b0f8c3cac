"""Every setting in one table, read once at start: flags first, then `LADDER_*` variables."""

from __future__ import annotations

import argparse
import os
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger

from engines.competition import Competition
from engines.games import GAMES
from ladder.addresses import Network, is_loopback, read_networks
from ladder.errors import LadderError
from ladder.host.logs import FORMATS as LOG_FORMATS
from ladder.runner.native import MAX_PROGRAM_BYTES
from ladder.runner.package import MAX_UPLOAD_BYTES
from ladder.values import Allowance, Limits, LogQuota, Retention


class BadSetting(LadderError):
    """A setting has a bad value; the message names the setting."""


_DATA = Path("var")


def setting(default: Any, help: str) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class Settings:
    """`LADDER_PORT=9000` or `--port 9000` sets `port`, and so on for each field."""

    host: str = setting("127.0.0.1", "address to listen on")
    port: int = setting(8080, "port to listen on")
    data: Path = setting(_DATA, "folder for the database, replays and unpacked bots")
    database: str = setting("", "SQLAlchemy URL; empty means SQLite in the data folder")
    workers: int = setting(0, "matches played at once; 0 means one per core")
    only_games: str = setting(
        "", "games that are played here, with commas between; empty means all"
    )
    executor: str = setting("", "hub of a cluster that plays the matches, tls://host:port")
    tls_ca: str = setting("", "certificate of the authority that the cluster trusts (PEM)")
    tls_cert: str = setting("", "certificate of this machine in the cluster (PEM)")
    tls_key: str = setting("", "key of that certificate (PEM)")
    sandbox: str = setting("auto", "tier for uploaded bots: auto, A, B or C")
    native_bots: bool = setting(True, "accept and run uploads of native programs")
    native_mb: int = setting(16, "megabytes that an upload of a native program may have")
    registration: str = setting("auto", "who may create an account: open, invite, or auto")
    uploads_per_hour: int = setting(60, "uploads an account may make in an hour")
    uploads_per_day: int = setting(500, "uploads an account may make in 24 hours")
    uploads_waiting: int = setting(20, "uploads of an account that may wait for their validation")
    bots_per_account: int = setting(200, "bots an account may have, over all games")
    stored_mb_per_account: int = setting(500, "megabytes that an account's uploads may take")
    refused_uploads_per_hour: int = setting(120, "uploads of an account that may be refused")
    logs_per_bot: int = setting(200, "matches of which a bot's stderr is kept, the newest")
    logs_per_account: int = setting(2_000, "the same for all bots of an account together")
    accounts_per_hour: int = setting(30, "accounts an address may create in an hour")
    requests_per_minute: int = setting(6_000, "requests an address or account may make in a minute")
    move_ms: int = setting(1_000, "CPU time a bot has for a move")
    match_ms: int = setting(60_000, "CPU time a bot has for a match")
    memory_mb: int = setting(256, "memory a bot may use")
    league_cron: str = setting("0 3 * * *", "when new leagues run, as a cron expression")
    league_timezone: str = setting("UTC", "time zone of that cron expression")
    league_size: int = setting(50, "how many of the best bots a league enters")
    evolution_runs: int = setting(1, "runs of evolution at once, over all servers; 0: none here")
    evolution_workers: int = setting(1, "cores that a run of evolution uses, at low priority")
    lease_seconds: int = setting(30, "time after which a silent worker's match is requeued")
    worker_name: str = setting("", "name of this machine; empty means its host name")
    challenges_per_day: int = setting(100, "unrated matches an account may ask for in a day")
    replay_days: int = setting(0, "days that replays of the ladder are kept; 0: forever")
    replay_mb: int = setting(0, "megabytes of replays beyond which the oldest go; 0: no limit")
    tournament_replay_days: int = setting(0, "the same days for tournaments; 0: forever")
    replay_percent: int = setting(
        10, "percent of the free disk space that replays may take; 0: no limit"
    )
    house_replay_mb: int = setting(
        100, "megabytes of replays of matches between house bots; 0: no limit"
    )
    drain_seconds: int = setting(10, "time that running matches have to end when we stop")
    log_format: str = setting("text", "how the log is written: text, or json")
    live_clients: int = setting(2_000, "live pages that may be open at once")
    secure_cookies: bool = setting(False, "send cookies over HTTPS only (behind a TLS proxy)")
    proxies: str = setting("", "addresses of proxies whose X-Forwarded headers are believed")

    def __post_init__(self) -> None:
        # Sandboxes are started from other folders than ours.
        object.__setattr__(self, "data", self.data.absolute())
        for name, low, high in (
            ("port", 0, 65_535),
            ("workers", 0, 1_024),
            ("uploads_per_hour", 1, 10**6),
            ("uploads_per_day", 1, 10**6),
            ("uploads_waiting", 1, 10**6),
            ("bots_per_account", 1, 10**6),
            ("stored_mb_per_account", 1, 10**6),
            ("refused_uploads_per_hour", 1, 10**6),
            ("logs_per_bot", 1, 10**5),
            ("logs_per_account", 1, 10**6),
            ("accounts_per_hour", 1, 10**6),
            ("requests_per_minute", 1, 10**9),
            ("move_ms", 1, 3_600_000),
            ("match_ms", 1, 24 * 3_600_000),
            ("memory_mb", 32, 65_536),
            ("native_mb", 1, MAX_PROGRAM_BYTES >> 20),
            ("league_size", 2, 1_000),
            ("evolution_runs", 0, 100),
            ("evolution_workers", 1, 1_024),
            ("lease_seconds", 2, 3_600),
            ("challenges_per_day", 0, 10**6),
            ("replay_days", 0, 10**5),
            ("replay_mb", 0, 10**9),
            ("tournament_replay_days", 0, 10**5),
            ("replay_percent", 0, 100),
            ("house_replay_mb", 0, 10**9),
            ("drain_seconds", 0, 86_400),
            ("live_clients", 0, 10**6),
        ):
            if not low <= getattr(self, name) <= high:
                raise BadSetting(f"{name} must lie between {low} and {high}")
        if self.sandbox not in ("auto", "A", "B", "C"):
            raise BadSetting("sandbox must be auto, A, B or C")
        if self.log_format not in LOG_FORMATS:
            raise BadSetting(f"log_format must be {' or '.join(LOG_FORMATS)}")
        if self.registration not in ("auto", "open", "invite"):
            raise BadSetting("registration must be auto, open or invite")
        if not self.played:
            known = ", ".join(game.name for game in GAMES)
            raise BadSetting(f"only_games names none of those that are installed: {known}")
        check_schedule(self.league_cron, self.league_timezone)
        try:
            read_networks(self.proxies)
        except ValueError as error:
            raise BadSetting(
                f"proxies must be addresses or networks such as 127.0.0.1,10.0.0.0/8, "
                f"not {self.proxies[:80]!r}"
            ) from error

    @property
    def proxy_networks(self) -> tuple[Network, ...]:
        return read_networks(self.proxies)

    @property
    def played(self) -> tuple[Competition, ...]:
        """The games that are played here, in the order of the catalogue."""
        named = self._named_games
        return tuple(game for game in GAMES if not named or game.name in named)

    @property
    def missing_games(self) -> tuple[str, ...]:
        """The games of `only_games` that are not installed: plug-ins come and go."""
        known = {game.name for game in GAMES}
        return tuple(name for name in self._named_games if name not in known)

    @property
    def _named_games(self) -> list[str]:
        return [name.strip() for name in self.only_games.split(",") if name.strip()]

    @property
    def database_url(self) -> str:
        return self.database or f"sqlite:///{self.data / 'ladder.db'}"

    @property
    def worker(self) -> str:
        """The name of this machine in leases and failures."""
        return (self.worker_name or socket.gethostname()).replace(":", "-")

    @property
    def worker_count(self) -> int:
        return self.workers or len(os.sched_getaffinity(0))

    @property
    def open_registration(self) -> bool:
        """Whether anybody may create an account; by default only on loopback addresses."""
        return self.registration == "open" or (
            self.registration == "auto" and is_loopback(self.host)
        )

    @property
    def upload_bytes(self) -> int:
        """The largest upload of any kind."""
        return max(MAX_UPLOAD_BYTES, self.native_mb << 20) if self.native_bots else MAX_UPLOAD_BYTES

    @property
    def limits(self) -> Limits:
        return Limits(move_ms=self.move_ms, match_ms=self.match_ms, memory_mb=self.memory_mb)

    @property
    def allowance(self) -> Allowance:
        """The allowance of accounts for which no admin has set another."""
        return Allowance(
            uploads_per_hour=self.uploads_per_hour,
            uploads_per_day=self.uploads_per_day,
            bots=self.bots_per_account,
            stored_mb=self.stored_mb_per_account,
            challenges_per_day=self.challenges_per_day,
            uploads_waiting=self.uploads_waiting,
        )

    @property
    def retention(self) -> Retention:
        return Retention(
            days=self.replay_days,
            megabytes=self.replay_mb,
            tournament_days=self.tournament_replay_days,
            house_megabytes=self.house_replay_mb,
            percent=self.replay_percent,
        )

    @property
    def log_quota(self) -> LogQuota:
        return LogQuota(self.logs_per_bot, self.logs_per_account)

    @property
    def evolution(self) -> Path:
        """The folder of the checkpoints of runs of evolution, with a folder for each run."""
        return self.data / "evolution"

    @property
    def replays(self) -> Path:
        return self.data / "replays"


def check_schedule(cron: str, timezone: str) -> CronTrigger:
    """The trigger of a cron expression, or a message that says which part is wrong."""
    try:
        zone = ZoneInfo(timezone)
    except (KeyError, ValueError, OSError) as error:  # OSError: the name is a folder, or too long
        raise BadSetting(f"there is no time zone {timezone[:80]!r}") from error
    try:
        return CronTrigger.from_crontab(cron, timezone=zone)
    except ValueError as error:
        raise BadSetting(
            f"{cron[:80]!r} is no cron expression; write minute, hour, day of the month, month and "
            "day of the week, such as '0 3 * * *' for 3 o'clock every night"
        ) from error


def add_flags(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
    """Give `parser` a flag for each of the named settings."""
    for spec in fields(Settings):
        if spec.name in names:
            flag = "--" + spec.name.replace("_", "-")
            default = "" if spec.default == "" else f" (default: {spec.default})"
            text = f"{spec.metadata['help']}{default}"
            if isinstance(spec.default, bool):
                parser.add_argument(
                    flag, action=argparse.BooleanOptionalAction, default=None, help=text
                )
            else:
                parser.add_argument(flag, default=None, help=text, metavar=spec.name.upper())


def load(flags: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Settings:
    """Settings from flags (None: not given), then variables, then defaults."""
    chosen: dict[str, Any] = {}
    for spec in fields(Settings):
        raw = flags.get(spec.name)
        if raw is None:
            raw = environment.get(f"LADDER_{spec.name.upper()}")
        if raw is not None:
            chosen[spec.name] = _convert(spec.name, raw, type(spec.default))
    return Settings(**chosen)


def _convert(name: str, raw: Any, kind: type) -> Any:
    if isinstance(raw, kind):
        return raw
    if kind is bool:
        lowered = str(raw).lower()
        if lowered not in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
            raise BadSetting(f"{name} must be true or false, not {raw!r}")
        return lowered in ("1", "true", "yes", "on")
    try:
        return kind(raw)
    except ValueError as error:
        raise BadSetting(f"{name} must be a whole number, not {raw!r}") from error
