"""Creates accounts from a list of names, as a teacher keeps it: CSV, or a sheet saved by Excel."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from enum import StrEnum

from ladder.errors import Conflict, Refusal
from ladder.people.accounts import TARGET, create_in
from ladder.people.names import check_name
from ladder.store import Connection, Database, actions
from ladder.values import Role

MOST_ROWS = 5_000
NAMES_LOGGED = 100
"""Most names in one line of the log of admins; others are counted."""
DELIMITERS = ",;\t"
"""Excel writes `;` where numbers have a decimal comma, and tabs as "Unicode Text"."""


class EnrolmentResult(StrEnum):
    CREATED = "created"
    KEPT = "kept"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Enrolment:
    """The result of one row."""

    line: int
    name: str
    outcome: EnrolmentResult
    token: str = ""
    """Of a new account; nobody can read the token of an account that exists."""
    reason: str = ""
    """Why there is no new account."""


def read_text(data: bytes) -> str:
    """The text of a file: UTF-8, with or without a byte order mark, or UTF-16 with one."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal(
            f"the file is not UTF-8 (byte {error.start}); "
            "in Excel, save it as `CSV UTF-8 (Comma delimited)`"
        ) from error


def enrol(db: Database, text: str, *, actor: str = "") -> list[Enrolment]:
    """Create an account for each row whose name is new; the column `name` has the names.

    Accounts that exist stay as they are, so that the same list can be enrolled again.
    """
    rows = _read(text)
    if not rows:
        raise Refusal("the CSV has no rows below its header")
    if len(rows) > MOST_ROWS:
        raise Refusal(f"at most {MOST_ROWS} accounts can be created at once, not {len(rows)}")
    lines: dict[str, int] = {}
    with db.write() as c:
        done = [_enrol(c, line, name, lines) for line, name in rows]
        new = [one.name for one in done if one.outcome is EnrolmentResult.CREATED]
        if new and actor:
            more = f" and {len(new) - NAMES_LOGGED} more" if len(new) > NAMES_LOGGED else ""
            detail = f"{len(new)} created: {', '.join(new[:NAMES_LOGGED])}{more}"
            actions.insert_action(c, actor, "import", TARGET, 0, detail)
    return done


def _enrol(c: Connection, line: int, name: str, lines: dict[str, int]) -> Enrolment:
    """Enrol one row; `lines` has the line of each name before it."""
    try:
        shown, key = check_name(name, "an account name")
        first = lines.setdefault(key, line)
        if first != line:
            told = f"line {first} has the same name; give each person another"
            return Enrolment(line, shown, EnrolmentResult.REFUSED, reason=told)
        made = create_in(c, shown, Role.MEMBER)
    except Conflict:
        told = "the account exists already and keeps its tokens"
        return Enrolment(line, shown, EnrolmentResult.KEPT, reason=told)
    except Refusal as error:
        return Enrolment(line, name, EnrolmentResult.REFUSED, reason=str(error))
    return Enrolment(line, made.name, EnrolmentResult.CREATED, made.token)


def _read(text: str) -> list[tuple[int, str]]:
    """Line and name of each row that is not blank."""
    text = text.removeprefix("\ufeff")
    header = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = [column.strip().casefold() for column in next(reader, [])]
        if "name" not in columns:
            told = ", ".join(repr(column[:40]) for column in columns if column) or "nothing"
            raise Refusal(
                f"the first line must name the columns, and one must be called name; it has {told}"
            )
        place = columns.index("name")
        return [
            (reader.line_num, row[place].strip() if place < len(row) else "")
            for row in reader
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise Refusal(f"line {reader.line_num} is not CSV: {error}") from error
