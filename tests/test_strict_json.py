"""JSON from strangers: refused documents, their messages, and the time that reading takes."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from ladder import strict_json
from ladder.strict_json import BadJson

BAD = {
    '{"a": 1, "a": 1}': "the key 'a' twice",
    '[{"a": {"b": 1, "c": 2, "\\u0062": 3}}]': "the key 'b' twice",
    "[" + "9" * 257 + "]": "a number of more than 256 characters",
    "[1." + "9" * 5_000 + "]": "a number of more than 256 characters",
    "[-1e400]": "the number -1e400, which is too large",
    "[NaN]": "NaN",
    "[-Infinity]": "-Infinity",
    "[" * 129 + "]" * 129: "nested more than 128 deep",
    '{"a":' * 700 + "1" + "}" * 700: "nested more than 128 deep",
    "[" * 30_000: "nested more than 128 deep",
    '["\\ud800"]': "half of a surrogate pair",
    '{"\\udfff": 1}': "half of a surrogate pair",
    '["\\u0000"]': "a NUL character",
    '{"\\u0000": 1}': "a NUL character",
    "[1,]": "it is not JSON (line 1, column 4)",
    "": "it is not JSON",
    "\ufeff[]": "it is not JSON",
}


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:24])
def test_bad_documents_are_refused(text: str) -> None:
    with pytest.raises(BadJson) as refusal:
        strict_json.read(text.encode())
    assert BAD[text] in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("data", [b"[\xff]", b'["\xed\xa0\x80"]', b'["\xc0\x80"]', b"\xff\xfe[\0"])
def test_only_utf8_is_text(data: bytes) -> None:
    with pytest.raises(BadJson, match="not UTF-8"):
        strict_json.read(data)


@pytest.mark.parametrize(
    "text",
    [
        "9" * 256,
        "1e308",
        "1e-999999999",
        "[" * 128 + "]" * 128,
        '{"a": {"a": [{"a": 1}, {"a": 2}]}, "b": "\\ud83d\\ude00"}',
        ' {"move" : "1" } \n',
        '["\\\\u0000", "\\\\ud800", "\\u0041"]',
    ],
    ids=lambda text: text[:24],
)
def test_good_documents_are_read(text: str) -> None:
    assert strict_json.read(text) == json.loads(text)


WORST = {
    "arrays": b"[" + b"[]," * 21_000 + b"[]]",
    "objects": b"[" + b'{"":0},' * 9_000 + b"0]",
    "keys": b"{" + b",".join(b'"%d":0' % n for n in range(7_000)) + b"}",
    "twice": b'{"a":0' + b',"a":0' * 10_000 + b"}",
    "digits": b"9" * 65_000,
    "nested": b"[" * 65_000,
    "escapes": b'"' + b"\\u0041" * 10_000 + b'"',
    "surrogates": b'"' + b"\\ud800" * 10_000 + b'"',
}


@pytest.mark.parametrize("kind", WORST)
def test_every_document_is_read_quickly(kind: str) -> None:
    """The slowest document of 64 KiB takes about ten times as long as an ordinary one."""

    def taken(data: bytes) -> float:
        before = time.thread_time()
        for _ in range(5):
            with contextlib.suppress(BadJson):
                strict_json.read(data)
        return time.thread_time() - before

    ordinary = json.dumps([["ahead", 1.5, True] for _ in range(2_900)]).encode()
    assert min(taken(WORST[kind]) for _ in range(3)) < 40 * min(taken(ordinary) for _ in range(3))
