from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from ladder.errors import Conflict, Forbidden, NotFound, Refusal, Unauthorized
from ladder.models import Token
from ladder.people import accounts
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


def test_a_class_is_imported_whole_or_not_at_all(db: Database) -> None:
    made = accounts.create_from_csv(db, "\ufeffname,group\nAda,1\nBob,2\n")
    assert [account.name for account in made] == ["Ada", "Bob"]
    with pytest.raises(Conflict, match=r"line 3.*none was created"):
        accounts.create_from_csv(db, "name\nCarl\nADA\n")
    assert accounts.create(db, "Carl")
    for text in ("", "first,last\nA,B\n", "name\n"):
        with pytest.raises(Refusal):
            accounts.create_from_csv(db, text)
