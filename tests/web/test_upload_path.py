"""From nothing to a rated bot: the upload page, validation in real sandboxes, and its page."""

from __future__ import annotations

import re

from live_site import LiveSite, play_in_sandboxes
from test_pages import check

from engines.games import GAMES
from ladder.uploads.excerpts import find_excerpt

NO_COLON = """import random

def agent(observation, configuration)
    return random.choice(observation["legal"])
"""
RAISES = """def agent(observation, configuration):
    return choose(observation["legal"])


def choose(legal):
    return legal[1000]
"""


def test_every_starter_is_accepted(fresh: LiveSite, tier: str) -> None:
    stranger = fresh.get("/upload?game=connect-four").text
    assert "A first bot for Connect Four" in stranger
    check(stranger)
    browser = fresh.browser("starter")
    for game in GAMES:
        fields = {"csrf": browser.csrf(), "game": game.name, "name": "first", "code": ""}
        fields["code"] = game.starter.replace("\n", "\r\n")  # as browsers send it
        sent = browser.post("/upload", files={k: (None, v) for k, v in fields.items()})
        assert sent.status_code == 303, sent.text
        assert play_in_sandboxes(fresh, tier) == 1
        page = browser.get(sent.headers["Location"])
        assert '<span class="badge accepted">' in page.text, page.text


def test_a_stranger_comes_in_with_the_bot(fresh: LiveSite, tier: str) -> None:
    form = {"game": "reversi", "name": "newcomer", "code": NO_COLON, "account": "linus"}
    sent = fresh.post("/upload", files={k: (None, v) for k, v in form.items()})
    assert sent.status_code == 201
    (token,) = re.findall(r'id="token"[^>]*>(lad_[\w-]+)<', sent.text)
    (path,) = re.findall(r'class="button" href="(/bots/\d+/versions/1)"', sent.text)
    assert "HttpOnly" in sent.headers["Set-Cookie"]
    play_in_sandboxes(fresh, tier)
    one = f"/api/v1{path}"
    told = fresh.get(one, token).json()
    assert (told["loads"], told["plays"]) == ("failed", "waiting")
    assert (told["excerpt"]["file"], told["excerpt"]["line"], told["excerpt"]["column"]) == (
        "bot.py",
        3,
        38,
    )
    assert told["excerpt"]["lines"][2]["text"] == "def agent(observation, configuration)"
    stranger = fresh.get(one).json()
    assert (stranger["excerpt"], stranger["stderr"], stranger["version"]["reason"]) == (
        None,
        "",
        None,
    )
    for wrong, status in (
        ({"account": "linus"}, 409),
        ({"account": ""}, 401),
        ({"token": "lad_wrong"}, 401),
        ({"name": "", "account": "nobody"}, 400),
        ({"code": " ", "account": "nobody"}, 422),
        ({"game": "go", "account": "nobody"}, 404),
    ):
        again = fresh.post("/upload", files={k: (None, v) for k, v in {**form, **wrong}.items()})
        assert again.status_code == status, wrong
        assert "Set-Cookie" not in again.headers
        assert 'role="alert"' in again.text
        if "code" not in wrong:
            assert "import random" in again.text, "the form keeps the code"
    # A house bot has that name, but the account now exists, so the page must show its token.
    eve = {**form, "account": "eve", "name": "random"}
    taken = fresh.post("/upload", files={k: (None, v) for k, v in eve.items()})
    assert taken.status_code == 409
    assert "lad_" in taken.text
    assert "Set-Cookie" in taken.headers
    # A token works in place of a new account.
    known = {**form, "token": token, "account": "", "code": RAISES}
    sent = fresh.post("/upload", files={k: (None, v) for k, v in known.items()})
    assert sent.headers["Location"] == path.removesuffix("1") + "2"
    play_in_sandboxes(fresh, tier)
    told = fresh.get(f"/api/v1{sent.headers['Location']}", token).json()
    assert (told["loads"], told["plays"]) == ("passed", "failed")
    assert (told["excerpt"]["line"], told["excerpt"]["column"]) == (6, None)
    assert "IndexError" in told["stderr"]


def test_excerpts_trust_no_complaint() -> None:
    source = b"a = 1\nb = 2\n"
    for complaint in ("no place", "bot.py line 3: x", "bot.py line 0: x", "other.py line 1: x"):
        assert find_excerpt(complaint, source) is None
    found = find_excerpt("bot.py line 2 column 999: x", source)
    assert found is not None
    assert (found.line, found.column) == (2, None)
    assert find_excerpt("bot.py line 1: x", b"PK\x03\x04 broken") is None
    assert find_excerpt("bot.py line 1: x", b"\0asm\x01\0\0\0") is None
