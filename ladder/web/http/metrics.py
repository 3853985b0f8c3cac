"""Counters of requests, and the Prometheus text of all metrics of a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ladder.host.meters import FAMILIES, Meters

MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class RequestCounts:
    """Requests answered and bots uploaded since the start. Only the event loop counts."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        """By method, route and status."""

    def uploads(self) -> int:
        return sum(
            count
            for (method, route, status), count in self.requests.items()
            if method == "POST" and route.endswith(("/bots", "/upload")) and status in (202, 303)
        )


def prometheus(
    request_counts: RequestCounts,
    matches: Mapping[str, int],
    status: Mapping[str, Any],
    queues: Mapping[tuple[str, str], int],
    last_backup: datetime | None,
    meters: Meters,
) -> str:
    """The metrics page, from counts of matches by status (and `rated`) and the server's report.

    Numbers in `status` become gauges of their own; texts become labels of `ladder_info`. `queues`
    are waiting matches by game and purpose.
    """
    lines: list[str] = []

    def metric(
        name: str, kind: str, about: str, samples: Iterable[tuple[Mapping[str, str], float]]
    ) -> None:
        lines.append(f"# HELP {name} {about}")
        lines.append(f"# TYPE {name} {kind}")
        lines.extend(f"{name}{_labels(labels)} {value}" for labels, value in samples)

    metric(
        "ladder_matches",
        "gauge",
        "Matches that are not finished, by status.",
        [({"status": name}, count) for name, count in sorted(matches.items()) if name != "rated"],
    )
    metric(
        "ladder_matches_rated_total",
        "counter",
        "Matches rated since the ladder began.",
        [({}, matches.get("rated", 0))],
    )
    metric(
        "ladder_queue",
        "gauge",
        "Matches waiting for a worker, by game and purpose.",
        [
            ({"game": game, "purpose": purpose}, count)
            for (game, purpose), count in sorted(queues.items())
        ],
    )
    if last_backup is not None:
        metric(
            "ladder_last_backup_timestamp_seconds",
            "gauge",
            "When the last backup was made.",
            [({}, last_backup.timestamp())],
        )
    for name, kind, samples in meters.families():
        lines.append(f"# HELP {name} {FAMILIES[name]}")
        lines.append(f"# TYPE {name} {kind}")
        lines.extend(f"{one}{_labels(dict(labels))} {value:g}" for one, labels, value in samples)
    metric(
        "ladder_http_requests_total",
        "counter",
        "Requests answered by method, route and status.",
        [
            ({"method": method, "route": route, "status": str(code)}, count)
            for (method, route, code), count in sorted(request_counts.requests.copy().items())
        ],
    )
    metric("ladder_uploads_total", "counter", "Bots uploaded.", [({}, request_counts.uploads())])
    texts = {name: value for name, value in status.items() if isinstance(value, str)}
    metric("ladder_info", "gauge", "Facts about this server.", [(texts, 1)])
    for name, value in sorted(status.items()):
        if isinstance(value, (int, float)):
            kind = "counter" if name.endswith("_total") else "gauge"
            metric(f"ladder_{name}", kind, "As the server reports it.", [({}, value)])
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    pairs = ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items())
    return "{" + pairs + "}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
