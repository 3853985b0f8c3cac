"""Geometry of a bracket: pairings in, boxes and lines of an SVG out."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.values import distinct_names
from ladder.views import PairingView, TournamentView

BOX_WIDTH, BOX_HEIGHT = 172, 44
GAP_X, GAP_Y = 28, 12
MARGIN = 6
HEAD = 22
"""Height of the line above the boxes, for the names of the rounds."""

MOST_DRAWN = 64
"""Entries of the largest bracket that is drawn; larger ones are lists of rounds."""

NAME_LENGTH = 17


@dataclass(frozen=True, slots=True)
class BracketEntrant:
    """One entrant in a box."""

    name: str
    title: str
    points: str
    won: bool
    lost: bool


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    lines: tuple[BracketEntrant, ...]
    """Two, from top to bottom."""
    link: str
    """Path of the latest match, or empty."""
    note: str


@dataclass(frozen=True, slots=True)
class Bracket:
    width: int
    height: int
    boxes: list[Box]
    joints: list[str]
    """Lines from each box to the next box of its winner, as points."""
    heads: list[tuple[float, float, str]]
    """Position and name of each round."""


def draw(tournament: TournamentView) -> Bracket | None:
    """None for other formats, and for brackets that are too large to draw."""
    rounds = tournament.rounds_planned
    knockout = tournament.format == "single-elimination"
    if not knockout or not rounds or len(tournament.entries) > MOST_DRAWN:
        return None
    size = 1 << rounds
    step = BOX_HEIGHT + GAP_Y
    short = distinct_names([(entry.owner, entry.bot) for entry in tournament.entries])
    names = {e.seeding: name for e, name in zip(tournament.entries, short, strict=True)}
    made = {one.number: one.pairings for one in tournament.rounds}
    boxes: list[Box] = []
    joints: list[str] = []
    heads: list[tuple[float, float, str]] = []
    for number in range(1, rounds + 1):
        x = MARGIN + (number - 1) * (BOX_WIDTH + GAP_X)
        heads.append((x, HEAD - 7, _head(rounds - number)))
        pairings = made.get(number, [])
        for board in range(size >> number):
            y = _middle(number, board, step) - BOX_HEIGHT / 2
            pairing = pairings[board] if board < len(pairings) else None
            boxes.append(_box(x, y, pairing, names))
            if number < rounds:
                joints.append(_joint(x, number, board, step))
        for pairing in pairings[size >> number :]:  # the match for third place
            below = _middle(number, 0, step) + BOX_HEIGHT / 2 + 2 * HEAD
            boxes.append(_box(x, below, pairing, names))
            heads.append((x, below - 7, "Third place"))
    bottom = max(box.y + BOX_HEIGHT for box in boxes)
    width = 2 * MARGIN + rounds * BOX_WIDTH + (rounds - 1) * GAP_X
    return Bracket(width, int(bottom + MARGIN), boxes, joints, heads)


def _middle(number: int, board: int, step: int) -> float:
    span = step * (1 << (number - 1))
    return HEAD + MARGIN + span * (board + 0.5)


def _joint(x: float, number: int, board: int, step: int) -> str:
    start, end = _middle(number, board, step), _middle(number + 1, board // 2, step)
    out, bend, into = x + BOX_WIDTH, x + BOX_WIDTH + GAP_X / 2, x + BOX_WIDTH + GAP_X
    return f"{out:g},{start:g} {bend:g},{start:g} {bend:g},{end:g} {into:g},{end:g}"


def _head(to_go: int) -> str:
    return {0: "Final", 1: "Semi-finals", 2: "Quarter-finals"}.get(to_go, f"Last {2 << to_go}")


def _box(x: float, y: float, pairing: PairingView | None, names: dict[int, str]) -> Box:
    lines = []
    entrants = pairing.entrants if pairing else []
    for place in (0, 1):
        if pairing is None or place >= len(entrants):
            bye = bool(pairing) and len(entrants) < 2
            lines.append(BracketEntrant("bye" if bye else "", "", "", won=False, lost=False))
            continue
        entry = entrants[place]
        name = names[entry]
        short = name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"
        lines.append(
            BracketEntrant(
                f"{entry} {short}",
                name,
                f"{pairing.points[place]:g}" if len(entrants) == 2 else "",
                won=pairing.decided and pairing.winner == entry,
                lost=pairing.decided and pairing.winner not in (entry, None),
            )
        )
    link = f"/matches/{pairing.matches[-1]}" if pairing and pairing.matches else ""
    return Box(x, y, tuple(lines), link, pairing.note if pairing else "")
