"""Replies: the same rules hold on the fast way and on the strict one."""

from __future__ import annotations

import pytest

from ladder.runner.replies import ORDINARY_BYTES, BadReply, read_reply

BAD = {
    b'{"move":"1","move":"9"}\n': "the key 'move' twice",
    b'{"move":"1","\\u006dove":"9"}\n': "the key 'move' twice",
    b'{"move":"1","note":{"a":1,"a":2}}\n': "the key 'a' twice",
    b'{"move":"1","note":%b}\n' % (b"9" * 5_000): "a number of more than 256 characters",
    b'{"move":"1","note":1e999}\n': "too large",
    b'{"move":"1","note":"\\ud800"}\n': "half of a surrogate pair",
    b'{"move":"1","note":"\xff"}\n': "not UTF-8",
    b'{"move":"1\\u0000"}\n': "a NUL character",
    b'{"move":NaN}\n': "NaN",
    b'{"move":-Infinity}\n': "Infinity",
    b'{"move":1e999}\n': "too large",
    b'{"move":"\\ud800"}\n': "half of a surrogate pair",
    b'{"move":"\xff"}\n': "not UTF-8",
    b'{"move":"\x00"}\n': "not JSON",
    b'{"move":%b}\n' % (b"9" * 5_000): "a number of more than 256 characters",
    b'{"move":%b%b}\n' % (b"[" * 700, b"]" * 700): "nested more than 128 deep",
    b"[]\n": "not an object",
    b"{}\n": 'no key "move"',
    b"\n": "not JSON",
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: repr(line[:30]))
@pytest.mark.parametrize("text", [True, False])
def test_bad_replies(line: bytes, text: bool) -> None:
    with pytest.raises(BadReply) as refusal:
        read_reply(line, text)
    assert BAD[line] in str(refusal.value)


def test_a_move_of_a_board_game_is_a_string() -> None:
    with pytest.raises(BadReply, match="its move is a number, not a string"):
        read_reply(b'{"move":1}\n', text=True)
    with pytest.raises(BadReply, match="its move is null, not a string"):
        read_reply(b'{"move":null}\n', text=True)
    assert read_reply(b'{"move":1}\n', text=False) == 1


@pytest.mark.parametrize(
    ("line", "move"),
    [
        (b'{"move":"1"}\n', "1"),
        (b' { "move" : "1" , "note" : [1, {"a": 2}] }\n', "1"),
        (b'{"move":"caf\\u00e9"}\n', "café"),
        (b'{"move":"%b"}\n' % (b"x" * 60_000), "x" * 60_000),
    ],
    ids=["short", "other keys", "escape", "long"],
)
def test_good_replies(line: bytes, move: str) -> None:
    assert read_reply(line, text=True) == read_reply(line, text=False) == move


def test_the_fast_way_cannot_pass_the_strict_limits() -> None:
    """The longest ordinary replies are read by both ways alike."""
    room = ORDINARY_BYTES - len(b'{"move":}\n')
    for value in (b"9" * room, b"[" * (room // 2) + b"]" * (room // 2)):
        ordinary = b'{"move":%b}\n' % value
        assert len(ordinary) <= ORDINARY_BYTES
        assert read_reply(ordinary, text=False) == read_reply(b" " * 300 + ordinary, text=False)
