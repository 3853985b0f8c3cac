from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from ladder.admin import oversight
from ladder.errors import Conflict, Forbidden, NotFound, Refusal, Unauthorized
from ladder.models import Token
from ladder.people import accounts, rosters
from ladder.store import Database
from ladder.values import Role, TokenUse


def test_a_token_identifies_its_account(db: Database) -> None:
    made = accounts.create(db, "Ada Lovelace", Role.ADMIN)
    found = accounts.authenticate(db, made.token, TokenUse.API)
    assert found is not None
    assert (found.id, found.name, found.role) == (made.id, "Ada Lovelace", Role.ADMIN)
    assert accounts.authenticate(db, made.token + "x", TokenUse.API) is None
    assert accounts.authenticate(db, made.token, TokenUse.SESSION) is None


def test_only_the_hash_is_stored(db: Database) -> None:
    token = accounts.create(db, "ada").token
    with db.read() as c:
        stored = c.execute(sa.select(Token)).all()
    assert all(token not in str(row) for row in stored)


@pytest.mark.parametrize("name", ["ADA", "ada", "\uff41da"])
def test_names_differ_by_more_than_case_or_width(db: Database, name: str) -> None:
    accounts.create(db, "Ada")
    with pytest.raises(Conflict, match="taken"):
        accounts.create(db, name)


def test_a_name_is_given_once(db: Database) -> None:
    def create(_: int) -> bool:
        try:
            accounts.create(db, "Ada")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as people:
        assert sum(people.map(create, range(4))) == 1


@pytest.mark.parametrize(
    "name", ["", " ", "a" * 41, "_a", "a ", "a/b", "a\nb", "a\x00b", "<b>", "=1+1", "a\u202eb"]
)
def test_bad_names_are_refused(sqlite_db: Database, name: str) -> None:
    with pytest.raises(Refusal):
        accounts.create(sqlite_db, name)


@pytest.mark.parametrize("name", ["Zoë", "李雷", "class-7b.team_2", "R2 D2"])
def test_names_of_people_are_allowed(sqlite_db: Database, name: str) -> None:
    assert accounts.create(sqlite_db, name).name == name


def test_registration_is_open_or_by_invite(db: Database) -> None:
    assert accounts.register(db, "ada", invite=None, open_registration=True).role is Role.MEMBER
    with pytest.raises(Forbidden, match="invite"):
        accounts.register(db, "bob", invite=None, open_registration=False)
    code = accounts.create_invite(db, 2)
    accounts.register(db, "bob", invite=code, open_registration=False)
    with pytest.raises(Conflict):  # a refused name does not use up the code
        accounts.register(db, "bob", invite=code, open_registration=False)
    accounts.register(db, "eve", invite=code, open_registration=False)
    with pytest.raises(Forbidden, match="used up"):
        accounts.register(db, "mallory", invite=code, open_registration=False)


def test_sessions_open_and_close(db: Database) -> None:
    made = accounts.create(db, "ada")
    session = accounts.open_session(db, made.token)
    assert accounts.authenticate(db, session, TokenUse.SESSION) is not None
    assert accounts.authenticate(db, session, TokenUse.API) is None
    accounts.close_session(db, session)
    assert accounts.authenticate(db, session, TokenUse.SESSION) is None
    with pytest.raises(Unauthorized):
        accounts.open_session(db, "lad_wrong")


def test_a_lost_token_is_replaced(db: Database) -> None:
    made = accounts.create(db, "ada")
    fresh = accounts.new_token(db, "ADA")
    found = accounts.authenticate(db, fresh, TokenUse.API)
    assert found is not None
    assert found.id == made.id
    for nobody in ("bob", "house"):
        with pytest.raises(NotFound):
            accounts.new_token(db, nobody)


def test_tokens_are_replaced_and_revoked(db: Database) -> None:
    made, other = accounts.create(db, "ada"), accounts.create(db, "bob")
    account = accounts.authenticate(db, made.token, TokenUse.API)
    assert account is not None
    session = accounts.open_session(db, made.token)
    fresh = accounts.replace_tokens(db, account)
    assert (fresh.id, fresh.name, fresh.role) == (made.id, "ada", Role.MEMBER)
    assert accounts.authenticate(db, made.token, TokenUse.API) is None
    assert accounts.authenticate(db, session, TokenUse.SESSION) is None
    second = accounts.new_token(db, "ada")
    third = accounts.new_token(db, "ada", replace=True)
    for ended in (fresh.token, second):
        assert accounts.authenticate(db, ended, TokenUse.API) is None
    assert accounts.authenticate(db, third, TokenUse.API) == account
    accounts.open_session(db, third)
    assert accounts.revoke(db, "ADA") == 2
    assert accounts.authenticate(db, third, TokenUse.API) is None
    assert accounts.authenticate(db, other.token, TokenUse.API) is not None
    with pytest.raises(NotFound):
        accounts.revoke(db, "nobody")


def test_sessions_do_not_pile_up(db: Database) -> None:
    made, other = accounts.create(db, "ada"), accounts.create(db, "bob")
    elsewhere = accounts.open_session(db, other.token)
    opened = [accounts.open_session(db, made.token) for _ in range(accounts.MOST_SESSIONS + 2)]
    alive = [accounts.authenticate(db, one, TokenUse.SESSION) is not None for one in opened]
    assert alive == [False] * 2 + [True] * accounts.MOST_SESSIONS
    assert accounts.authenticate(db, elsewhere, TokenUse.SESSION) is not None
    assert accounts.authenticate(db, made.token, TokenUse.API) is not None


def test_closing_a_session_closes_no_token(db: Database) -> None:
    """A browser can send any value as a cookie, even an API token."""
    made = accounts.create(db, "ada")
    accounts.close_session(db, made.token)
    assert accounts.authenticate(db, made.token, TokenUse.API) is not None


def _outcomes(db: Database, text: str) -> list[tuple[int, str, str]]:
    return [(one.line, one.name, one.outcome) for one in rosters.enrol(db, text)]


def test_a_class_is_enrolled_again_when_a_student_is_new(db: Database) -> None:
    made = rosters.enrol(db, "name,group\nAda,1\nBob,2\n")
    assert [(one.name, one.outcome) for one in made] == [("Ada", "created"), ("Bob", "created")]
    again = rosters.enrol(db, "name,group\nADA,1\nBob,2\nCarl,3\n")
    assert [one.outcome for one in again] == ["kept", "kept", "created"]
    assert again[0].token == ""
    assert "keeps its tokens" in again[0].reason
    for one in (made[0], made[1], again[2]):
        found = accounts.authenticate(db, one.token, TokenUse.API)
        assert found is not None
        assert found.name == one.name


def test_a_row_that_cannot_be_an_account_stops_no_other(db: Database) -> None:
    told = rosters.enrol(db, "name\nAda\n-x\nada\nBob\n")
    assert [one.outcome for one in told] == ["created", "refused", "refused", "created"]
    assert "must begin with a letter" in told[1].reason
    assert "line 2 has the same name" in told[2].reason


@pytest.mark.parametrize(
    "data",
    [
        b"name\nZo\xc3\xab\nBob\n",
        b"\xef\xbb\xbfName,Group\r\nZo\xc3\xab,1\r\nBob,2\r\n",
        b'"NAME";"Gruppe"\r\n"Zo\xc3\xab";1\r\n;\r\nBob;"a,b"\r\n',
        "Group\tName\r\n1\tZoë\r\n2\tBob\r\n".encode("utf-16"),
        "\ufeff Name \tGroup\r\nZoë\t1\r\nBob\t2\r\n".encode("utf-16-be"),
    ],
    ids=["plain", "bom", "semicolons", "tabs-utf-16", "utf-16-be"],
)
def test_lists_are_read_as_excel_writes_them(sqlite_db: Database, data: bytes) -> None:
    told = rosters.enrol(sqlite_db, rosters.read_text(data))
    assert [(one.name, one.outcome) for one in told] == [("Zoë", "created"), ("Bob", "created")]


def test_a_list_that_cannot_be_read_says_why(sqlite_db: Database) -> None:
    with pytest.raises(Refusal, match="CSV UTF-8"):
        rosters.read_text("name\nZoë\n".encode("cp1252"))
    with pytest.raises(Refusal, match="one must be called name; it has 'first', 'last'"):
        rosters.enrol(sqlite_db, "first,last\nA,B\n")
    with pytest.raises(Refusal, match="no rows"):
        rosters.enrol(sqlite_db, "name\n")
    with pytest.raises(Refusal, match="it has nothing"):
        rosters.enrol(sqlite_db, "")
    with pytest.raises(Refusal, match="at most 5000"):
        rosters.enrol(sqlite_db, "name\n" + "x\n" * 5001)


def test_the_log_of_admins_names_who_creates_accounts(db: Database) -> None:
    ada = accounts.create(db, "ada", Role.ADMIN, actor="root")
    rosters.enrol(db, "name\nada\nbob\ncarl\n", actor="root")
    rosters.enrol(db, "name\nada\n", actor="root")  # changes nothing
    accounts.create_invite(db, 30, actor="root")
    accounts.new_token(db, "bob", replace=True, actor="root")
    accounts.revoke(db, "bob", actor="root")
    told = oversight.audit_page(db, None).actions
    assert {(one.actor, one.target) for one in told} == {("root", "account")}
    assert [(one.action, one.detail) for one in reversed(told)] == [
        ("create", "ada (admin)"),
        ("import", "2 created: bob, carl"),
        ("invite", "a code for 30 accounts"),
        ("new token", "bob; earlier ones are revoked"),
        ("revoke tokens", "bob"),
    ]
    assert told[-1].target_id == ada.id
    accounts.create(db, "dora")  # by herself
    assert len(oversight.audit_page(db, None).actions) == len(told)
