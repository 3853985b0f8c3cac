"""Signing in on the way to a page, and the pages around it."""

from __future__ import annotations

from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from live_site import Browser, LiveSite
from playwright.sync_api import expect
from real_browser import real_browser

from ladder.people import accounts
from ladder.values import Role

FOREIGN = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\t//evil.example",
    " //evil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "evil.example",
    "@evil.example",
    "/\u2215evil.example",
    "/\\/evil.example",
    "/" + "a" * 500,
]
STRANGE_BUT_OURS = [
    "/%2F/evil.example",
    "/%2f%2fevil.example",
    "/%5Cevil.example",
    "/@evil.example",
]


@pytest.fixture
def root(site: LiveSite) -> Browser:
    browser = Browser(site.url)
    token = accounts.create(site.db, "root", Role.ADMIN).token
    assert browser.post("/signin", data={"token": token, "next": ""}).status_code == 303
    return browser


def test_a_sign_in_leads_back_to_the_page_that_asked_for_it(site: LiveSite, admin: str) -> None:
    browser = Browser(site.url)
    wanted = "/admin/accounts?banned=1&name=%C3%A9va"
    sent = browser.get(wanted)
    assert sent.status_code == 303
    form = sent.headers["Location"]
    assert parse_qs(urlsplit(form).query)["next"] == [wanted]
    page = browser.get(form).text
    assert (
        '<input type="hidden" name="next" value="/admin/accounts?banned=1&amp;name=%C3%A9va">'
        in (page)
    )
    wrong = browser.post("/signin", data={"token": "lad_wrong", "next": wanted})
    assert "banned=1&amp;name=%C3%A9va" in wrong.text, "a mistake forgets nothing"
    back = browser.post("/signin", data={"token": admin, "next": wanted})
    assert (back.status_code, back.headers["Location"]) == (303, wanted)


def test_every_page_leads_back_to_itself(site: LiveSite) -> None:
    assert 'href="/signin?next=%2Fgames%2Freversi"' in site.get("/games/reversi").text
    assert 'href="/signin"' in site.get("/").text
    assert 'href="/signin?next=%2Fno%2Fsuch"' in site.get("/no/such").text


def test_a_new_account_goes_on_to_the_page_it_wanted(site: LiveSite) -> None:
    data = {"name": "eve", "invite": "", "next": "/bots/1"}
    made = Browser(site.url).post("/register", data=data)
    assert made.status_code == 201
    assert '<a class="button" href="/bots/1">' in made.text
    data = {"name": "mallory", "invite": "", "next": "//evil.example"}
    assert "evil.example" not in Browser(site.url).post("/register", data=data).text


def test_a_form_sent_after_the_session_ended_leads_back_to_its_page(site: LiveSite) -> None:
    for page, back in (
        (f"{site.url}/bots/1?division=open", "/signin?next=/bots/1%3Fdivision%3Dopen"),
        ("https://evil.example/", "/signin"),
        (f"{site.url}.evil.example/", "/signin"),
        ("", "/signin"),
    ):
        sent = site.post("/bots/1/retire", data={"csrf": ""}, headers={"Referer": page})
        assert sent.headers["Location"] == back


@pytest.mark.parametrize("wanted", FOREIGN)
def test_a_sign_in_leads_to_no_other_site(site: LiveSite, token: str, wanted: str) -> None:
    sent = Browser(site.url).post("/signin", data={"token": token, "next": wanted})
    assert (sent.status_code, sent.headers["Location"]) == (303, "/me")


@pytest.mark.parametrize("wanted", STRANGE_BUT_OURS)
def test_encoded_slashes_stay_on_this_site(site: LiveSite, token: str, wanted: str) -> None:
    sent = Browser(site.url).post("/signin", data={"token": token, "next": wanted})
    assert urljoin(site.url, sent.headers["Location"]).startswith(site.url + "/")


@pytest.mark.slow
def test_a_browser_stays_here(site: LiveSite, token: str) -> None:
    with real_browser() as browser:
        for wanted in ("//evil.example/", "/\\evil.example/", "/%2F/evil.example/", "/%09//x/"):
            page = browser.page(site.url)
            page.goto(site.url + "/signin")
            page.locator("input[name=next]").first.evaluate(
                "(box, text) => box.value = text", wanted
            )
            page.get_by_label("Token").fill(token)
            page.get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("link", name="ada")).to_be_visible()
            assert page.url.startswith(site.url + "/")
        assert not [one for one in browser.trouble if "404" not in one]


def test_error_pages_know_who_is_signed_in(site: LiveSite, root: Browser) -> None:
    ada = site.browser("ada")
    for path, status in (("/bots/999", 404), ("/admin", 403), ("/no/such", 404)):
        page = ada.get(path)
        assert page.status_code == status
        assert '<a href="/me">ada</a>' in page.text
        assert f'name="csrf" value="{ada.csrf()}"' in page.text
        assert page.headers["Cache-Control"] == "private, no-store"
        assert ">Sign in</a>" in site.get(path, allow_redirects=True).text
    assert "ada" not in root.get("/bots/999").text
    assert ada.post("/leagues/1/run", data={"csrf": "old"}).text.count(">ada</a>") == 1


def test_an_error_page_survives_a_lost_database(
    site: LiveSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = site.browser("ada")

    def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(accounts, "authenticate", fail)
    page = ada.get("/no/such")
    assert page.status_code == 404
    assert ">Sign in</a>" in page.text


def test_a_page_marks_its_own_link(site: LiveSite) -> None:
    ada = site.browser("ada")
    assert '<a href="/matches" aria-current="page">' in site.get("/matches").text
    assert '<a href="/matches" aria-current="true">' in site.get("/matches/1").text
    assert "aria-current" not in site.get("/").text.split("<main")[0]
    assert '<a href="/me" aria-current="page">' in ada.get("/me").text
    assert '<a href="/tournaments"' in ada.get("/tournaments").text
    for path in ("/tournaments", "/leagues", "/evolution", "/upload"):
        head = ada.get(path).text.split("<main")[0]
        assert head.count("aria-current") == 1
        assert f'<a href="{path}" aria-current="page">' in head
