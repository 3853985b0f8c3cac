"""Replays in files: as text in a terminal, and as pages that a real browser opens offline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect
from real_browser import PHONE, RealBrowser, real_browser
from toy_games import entered

from ladder.cli import main
from ladder.runner import play_job
from ladder.runner.replay import Replay, ReplayEntrant, decode, encode
from ladder.values import Entrant, Kind, MatchJob
from tests.engines.toys import ON_THE_LADDER

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\nseat 9: mallory"


@pytest.fixture(scope="module", autouse=True)
def toys() -> Iterator[None]:
    with entered(*ON_THE_LADDER):
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[RealBrowser]:
    with real_browser() as found:
        yield found
        assert found.trouble == []


def play(folder: Path, game: str, *bots: str, **options: int) -> Path:
    """The saved replay of a match of house bots."""
    entrants = tuple(Entrant(bot, Kind.HOUSE, "") for bot in bots)
    job = MatchJob(1, 1, game, 7, entrants, options=dict(options))
    file = folder / f"{game}.json.gz"
    file.write_bytes(play_job(job, folder, None).replay)
    return file


def saved(folder: Path, game: str, *bots: str, **options: int) -> Path:
    page = folder / f"{game}.html"
    file = play(folder, game, *bots, **options)
    assert main(["replay", "page", str(file), "--out", str(page)]) == 0
    return page


def opened(browser: RealBrowser, file: Path, **options: object) -> Page:
    page = browser.page("file://", **options)
    page.context.set_offline(True)
    page.goto(file.as_uri())
    return page


def test_a_board_is_shown_offline(browser: RealBrowser, tmp_path: Path) -> None:
    page = opened(browser, saved(tmp_path, "connect-four", "greedy", "random"))
    expect(page.get_by_role("heading", name="greedy v random")).to_be_visible()
    count = page.locator(".plies .count")
    last = int(count.inner_text().split(" / ")[1])
    assert last > 6
    page.keyboard.press("Home")
    expect(count).to_have_text(f"0 / {last}")
    first = page.locator(".frame svg").inner_html()
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text(f"1 / {last}")
    assert page.locator(".frame svg").inner_html() != first
    page.locator(".moves a").nth(2).click()
    expect(count).to_have_text(f"3 / {last}")
    expect(page.locator(".told")).to_contain_text("Move 3: ")
    page.get_by_role("button", name="Play").click()
    expect(count).to_have_text(f"5 / {last}", timeout=20_000)


def test_the_instances_of_a_puzzle_are_shown_offline(browser: RealBrowser, tmp_path: Path) -> None:
    page = opened(browser, saved(tmp_path, "sums", "singles", "pairs"), viewport=PHONE)
    expect(page.get_by_role("heading", name="Instance 1 of ")).to_be_visible()
    expect(page.locator("figcaption").first).to_contain_text("singles")
    page.get_by_role("link", name="Next instance").click()
    expect(page.get_by_role("heading", name="Instance 2 of ")).to_be_visible()
    page.keyboard.press("Home")
    count = page.locator(".plies .count")
    expect(count).to_have_text(re.compile(r"^0 / "))
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text(re.compile(r"^1 / "))
    page.get_by_role("link", name="Instance 1", exact=True).click()
    expect(page.get_by_role("heading", name="Instance 1 of ")).to_be_visible()


def test_a_simulation_without_a_viewer_is_shown_offline(
    browser: RealBrowser, tmp_path: Path
) -> None:
    page = opened(browser, saved(tmp_path, "tug-of-war", "steady", "hasty"))
    count = page.locator(".plies .count")
    expect(count).to_have_text(re.compile(r"^0 / [1-9]"))
    page.keyboard.press("ArrowRight")
    expect(count).to_have_text(re.compile(r"^1 / "))
    expect(page.locator(".told")).to_have_text("Frame 1")


def test_a_battle_is_played_offline_by_its_viewer(browser: RealBrowser, tmp_path: Path) -> None:
    page = opened(browser, saved(tmp_path, "tanks", "Crazy", "SpinBot", rounds=1))
    expect(page.locator(".theatre")).to_be_visible()
    expect(page.locator(".figures tbody th").first).to_contain_text("Crazy")
    expect(page.locator(".clock")).not_to_have_text(re.compile(r"^Turn 1 /"), timeout=20_000)
    page.locator(".field").focus()
    page.keyboard.press("End")
    expect(page.locator(".verdict-of-round")).to_contain_text("round 1")


def hostile(folder: Path) -> Path:
    """A replay of somebody else with names that would harm a terminal or a page."""
    file = play(folder, "connect-four", "greedy", "random")
    document = decode(file.read_bytes())
    names = (HOSTILE, "random")
    entrants = tuple(
        ReplayEntrant(name, one.sha256, one.kind)
        for name, one in zip(names, document.entrants, strict=True)
    )
    changed = msgspec.structs.replace(document, entrants=entrants, explanation=HOSTILE)
    file.write_bytes(encode(changed))
    return file


def test_hostile_text_is_harmless(
    browser: RealBrowser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = hostile(tmp_path)
    assert main(["replay", "show", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b[31m" in shown
    assert [line for line in shown.splitlines() if line.startswith("seat 9")] == []
    assert main(["replay", "page", str(file), "--out", str(tmp_path / "h.html")]) == 0
    page = opened(browser, tmp_path / "h.html")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0


def test_a_saved_replay_is_shown_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = play(tmp_path, "connect-four", "greedy", "random")
    assert main(["replay", "show", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    document = decode(file.read_bytes())
    assert lines[0] == "connect-four, seed 7"
    assert lines[1].startswith("seat 0: greedy (house), score ")
    assert len(lines) == 3 + len(document.moves) + 1 + 1
    assert lines[-1] == document.explanation


def _wrong(file: Path) -> dict[str, bytes]:
    good = decode(file.read_bytes())
    change = msgspec.structs.replace
    one_seat: Replay = change(good, entrants=good.entrants[:1])
    return {
        "text": b"hello",
        "cut": file.read_bytes()[:40],
        "other-game": encode(change(good, game="chess-960")),
        "one-seat": encode(one_seat),
        "illegal": encode(change(good, moves=tuple(reversed(good.moves)))),
    }


@pytest.mark.parametrize("action", ["show", "page"])
def test_what_is_no_replay_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    for name, data in _wrong(play(tmp_path, "connect-four", "greedy", "random")).items():
        file = tmp_path / name
        file.write_bytes(data)
        out = [] if action == "show" else ["--out", str(tmp_path / "o.html")]
        assert main(["replay", action, str(file), *out]) == 1, name
        said = capsys.readouterr().err
        assert said.startswith("ladder: "), name
        assert "Expected `" not in said
    assert main(["replay", action, str(tmp_path / "nothing")]) == 1
    assert "No such file" in capsys.readouterr().err
    assert not (tmp_path / "o.html").exists()


def test_a_page_has_a_name_that_browsers_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = play(tmp_path, "connect-four", "greedy", "random")
    assert main(["replay", "page", str(file), "--out", str(tmp_path / "page.gz")]) == 1
    assert "must end in .html" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert main(["replay", "page", file.name]) == 0
    assert (tmp_path / "connect-four.html").exists()
