"""The metrics of this process, for the metrics page. Safe to use from any thread."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

FAMILIES = {
    "ladder_matches_finished_total": "Matches that this process recorded, by game and ending.",
    "ladder_match_failures_total": "Attempts at matches that failed through no fault of a bot.",
    "ladder_late_reports_total": "Results that came after their lease had run out.",
    "ladder_lease_expiries_total": "Matches taken back from workers that stopped answering.",
    "ladder_replays_removed_total": "Replays removed because of their age or size.",
    "ladder_replay_bytes_removed_total": "Size of the replays removed.",
    "ladder_queue_seconds": "Time from the making of a match to its first lease, by purpose.",
    "ladder_play_seconds": "Time that matches took to play, by game.",
}
BOUNDS = (0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_600, 14_400)
"""Upper bounds of the histogram buckets, in seconds."""

Labels = tuple[tuple[str, str], ...]


class Meters:
    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._durations: dict[tuple[str, Labels], list[float]] = {}
        """A histogram: the counts up to each bound and beyond, and the sum."""

    def count(self, name: str, number: int = 1, /, **labels: str) -> None:
        with self._mutex:
            self._counts[name, tuple(sorted(labels.items()))] += number

    def observe(self, name: str, seconds: float, /, **labels: str) -> None:
        """Record a duration."""
        with self._mutex:
            key = name, tuple(sorted(labels.items()))
            held = self._durations.setdefault(key, [0.0] * (len(BOUNDS) + 2))
            held[bisect_left(BOUNDS, seconds)] += 1
            held[-1] += seconds

    def families(self) -> Iterator[tuple[str, str, list[tuple[str, Labels, float]]]]:
        """Name, kind and samples (name, labels, value) of all metrics."""
        with self._mutex:
            counts, durations = dict(self._counts), {k: list(v) for k, v in self._durations.items()}
        for name in FAMILIES:
            if name.endswith("_total"):
                samples = [(name, labels, n) for (one, labels), n in counts.items() if one == name]
                yield name, "counter", sorted(samples) or [(name, (), 0)]
                continue
            lines: list[tuple[str, Labels, float]] = []
            for (one, labels), held in sorted(durations.items()):
                if one == name:
                    ends, upto = [*map(str, BOUNDS), "+Inf"], list(accumulate(held[:-1]))
                    lines += [
                        (f"{name}_bucket", (*labels, ("le", end)), number)
                        for end, number in zip(ends, upto, strict=True)
                    ]
                    lines += [
                        (f"{name}_sum", labels, held[-1]),
                        (f"{name}_count", labels, upto[-1]),
                    ]
            yield name, "histogram", lines
