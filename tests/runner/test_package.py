"""Uploads, honest and crafted. Every refusal has its own message."""

from __future__ import annotations

import contextlib
import io
import random
import stat
import struct
import zipfile

import pytest

from ladder.errors import BadUpload, Refusal, TooLarge
from ladder.runner.package import read_package
from tests.hostile.archives import Entry, assemble, unicode_path

SOURCE = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], bot: bool = True) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (*([("bot.py", SOURCE)] if bot else []), *entries):
            archive.writestr(name, data, compress_type=zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def special(name: str, kind: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o777) << 16
    return info


def patched(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new)


def header_changed(data: bytes, local_offset: int, central_offset: int, value: int) -> bytes:
    """Overwrite a 16-bit field in all file headers."""
    changed = bytearray(data)
    for magic, offset in ((b"PK\x03\x04", local_offset), (b"PK\x01\x02", central_offset)):
        place = changed.find(magic)
        while place >= 0:
            struct.pack_into("<H", changed, place + offset, value)
            place = changed.find(magic, place + 4)
    return bytes(changed)


def lying_about_size() -> bytes:
    """A file that is small by its headers, and unpacks to 64 MiB."""
    data = zipped(("zeros", bytes(64 << 20)))
    return data.replace(struct.pack("<I", 64 << 20), struct.pack("<I", 1000))


def test_a_source_file() -> None:
    assert read_package(SOURCE) == {"bot.py": SOURCE}


def test_a_zip_file() -> None:
    files = read_package(zipped(("weights.json", b"[1]"), ("lib/", b""), ("lib/a.py", b"x = 1")))
    assert files == {"bot.py": SOURCE, "weights.json": b"[1]", "lib/a.py": b"x = 1"}


def test_small_files_may_compress_well() -> None:
    assert len(read_package(zipped(("table", bytes(200_000))))["table"]) == 200_000


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "bot.py is empty"),
    "too large": (b"#" * (1 << 20) + b"\n", "at most 1048576"),
    "image": (b"\x89PNG\r\n", "a PNG image"),
    "gzip": (b"\x1f\x8b\x08", "a gzip file"),
    "not text": (b"x = '\xff'\n", "not UTF-8 text (line 1)"),
    "nul": (b"x = 1\x00\n", "a NUL byte"),
    "no bot": (zipped(("main.py", SOURCE), bot=False), "has no bot.py"),
    "bot in folder": (zipped(("x/bot.py", SOURCE), bot=False), "must be at its top level"),
    "bot is binary": (zipped(("bot.py", b"\x00"), bot=False), "a NUL byte"),
    "empty zip": (zipped(bot=False), "has no bot.py"),
    "climbs": (zipped(("../x", b"")), "leads out of its folder"),
    "climbs inside": (zipped(("a/../../x", b"")), "leads out of its folder"),
    "absolute": (zipped(("/etc/x", b"")), "is not relative"),
    "drive": (zipped(("C:x", b"")), "is not relative"),
    "backslash": (zipped(("a\\b", b"")), "has a backslash"),
    "dot": (zipped(("./x", b"")), "has an empty part"),
    "double slash": (zipped(("a//x", b"")), "has an empty part"),
    "control": (zipped(("a\nb", b"")), "a control character"),
    "nul in name": (patched(zipped(("aQb", b"")), b"aQb", b"a\x00b"), "a control character"),
    "long name": (zipped(("x" * 300, b"")), "is too long"),
    "not utf-8 name": (patched(zipped(("aQb", b"")), b"aQb", b"a\xe9b"), "not marked as UTF-8"),
    "deep": (zipped(("a/" * 9 + "x", b"")), "nested deeper"),
    "same name in other case": (zipped(("Bot.py", b"")), "has both"),
    "file and folder": (zipped(("a", b""), ("a/b", b"")), "both a file and a folder"),
    "link": (zipped((special("x", stat.S_IFLNK), b"/etc/passwd")), "a symbolic link"),
    "device": (zipped((special("x", stat.S_IFCHR), b"")), "a special file"),
    "fifo": (zipped((special("x", stat.S_IFIFO), b"")), "a special file"),
    "encrypted": (header_changed(zipped(), 6, 8, 1), "is encrypted"),
    "odd compression": (header_changed(zipped(), 8, 10, 12), "in an unusual way"),
    "many files": (zipped(*((f"{n}.txt", b"") for n in range(250))), "at most 200"),
    "bomb": (zipped(("zeros", bytes(7 << 20))), "compressed more than"),
    "lying bomb": (lying_about_size(), "is damaged"),
    "truncated": (zipped(("x", b"1" * 1000))[:-30], "is damaged"),
    "no directory": (zipped(("x", b"")).replace(b"PK\x05\x06", b"PK\x05\x07"), "is damaged"),
}

OTHER_NAMES = (b"../x", b"/etc/x", b"a/../../x", b"..\\x", b"x\0y", b"x/../x", b"y", b"")


def renamed(place: str, other: bytes) -> bytes:
    """A zip file with a second file, whose name is plain except in one place."""
    extra = unicode_path(b"x", other)
    entry = {
        "local name": Entry(b"x", local_name=other),
        "extra field": Entry(b"x", extra=extra),
        "local extra field": Entry(b"x", local_extra=extra),
        "both extra fields": Entry(b"x", extra=extra, local_extra=extra),
        "second extra field": Entry(b"x", extra=unicode_path(b"x", b"x") + extra),
        "extra field after another": Entry(b"x", extra=b"UT\1\0\0" + extra),
        "extra field of another name": Entry(b"x", extra=unicode_path(b"z", other)),
    }[place]
    return assemble(Entry(b"bot.py", SOURCE), entry)


@pytest.mark.parametrize("other", OTHER_NAMES)
@pytest.mark.parametrize(
    "place",
    [
        "local name",
        "extra field",
        "local extra field",
        "both extra fields",
        "second extra field",
        "extra field after another",
        "extra field of another name",
    ],
)
@pytest.mark.filterwarnings("ignore:Empty unicode path")
def test_an_entry_has_one_name(place: str, other: bytes) -> None:
    with pytest.raises(BadUpload, match=r"a second name|damaged"):
        read_package(renamed(place, other))


@pytest.mark.parametrize("other", OTHER_NAMES[:-2])
def test_names_are_plain_in_the_central_directory(other: bytes) -> None:
    with pytest.raises(BadUpload, match="in the zip file"):
        read_package(
            assemble(Entry(b"bot.py", SOURCE), Entry(other, extra=unicode_path(other, b"x")))
        )


def test_a_bot_cannot_be_named_by_an_extra_field() -> None:
    hidden = Entry(b"main.py", SOURCE, extra=unicode_path(b"main.py", b"bot.py"))
    with pytest.raises(BadUpload, match="a second name"):
        read_package(assemble(hidden))


def test_an_extra_field_may_repeat_the_name() -> None:
    name = "größe.txt".encode()
    extra = unicode_path(name, name)
    entry = Entry(name, b"1", extra=extra, local_extra=extra + b"\0\0")
    assert read_package(assemble(Entry(b"bot.py", SOURCE), entry)) == {
        "bot.py": SOURCE,
        "größe.txt": b"1",
    }


@pytest.mark.parametrize("extra", [b"up\xff\xff", b"up\x01\x00", b"\x75\x70\x02\x00\x01\x00"])
def test_extra_fields_are_whole(extra: bytes) -> None:
    for entry in (Entry(b"x", extra=extra), Entry(b"x", local_extra=extra)):
        with pytest.raises(BadUpload, match=r"damaged|a second name"):
            read_package(assemble(Entry(b"bot.py", SOURCE), entry))


ODD_NAMES = {
    "con.py": "reserved on Windows",
    "a/NUL": "reserved on Windows",
    "Com1.tar.gz": "reserved on Windows",
    "lpt\u00b9": "reserved on Windows",
    "aux .txt": "reserved on Windows",
    "conout$": "reserved on Windows",
    "con/x.py": "reserved on Windows",
    "a.": "ends with a space or a dot",
    "a ": "ends with a space or a dot",
    "a ./x": "ends with a space or a dot",
    " a": "begins with a space",
    "...": "ends with a space or a dot",
    ".pth": "Python's own settings",
    "lib/evil.PTH": "Python's own settings",
    "python311._pth": "Python's own settings",
    "robot\U0001f916.py": "use letters, digits and ordinary punctuation",
    "\u2764.txt": "use letters, digits and ordinary punctuation",
    "a\uff0fb": "use letters, digits and ordinary punctuation",
    "what?.txt": "use letters, digits and ordinary punctuation",
    'a"b': "use letters, digits and ordinary punctuation",
    "a|b": "use letters, digits and ordinary punctuation",
    "a*": "use letters, digits and ordinary punctuation",
}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names(name: str) -> None:
    with pytest.raises(BadUpload, match=r"^\S.*\.$") as refusal:
        read_package(zipped((name, b"")))
    assert ODD_NAMES[name] in str(refusal.value)


@pytest.mark.parametrize(
    "name",
    [
        "console.py",
        "a.b.c",
        ".hidden",
        "lib/__init__.py",
        "weights (2).json",
        "my file-v1_2+x.txt",
        "größe.py",
        "\u68cb/\u8b5c.txt",
        "\u0939\u093f\u0902\u0926\u0940.txt",
        "com10",
        "null.txt",
        "path.txt",
    ],
)
def test_ordinary_names(name: str) -> None:
    assert read_package(zipped((name, b"1")))[name] == b"1"


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    data, message = REFUSED[case]
    with pytest.raises(Refusal) as refusal:
        read_package(data)
    assert message in str(refusal.value)
    assert type(refusal.value) is (TooLarge if case == "too large" else BadUpload)


def test_duplicate_names() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped(("bot.py", b"x"))
    with pytest.raises(BadUpload, match="has both"):
        read_package(data)


def test_wrong_checksum() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("bot.py", SOURCE)
    with pytest.raises(BadUpload, match="is damaged"):
        read_package(patched(buffer.getvalue(), b"agent", b"agant"))


def test_too_much_in_all() -> None:
    noise = random.Random(1).randbytes(1000)
    files = ((f"{n}.bin", noise * 1000) for n in range(9))
    with pytest.raises(TooLarge, match="more than 8388608"):
        read_package(zipped(*files))


def test_damaged_zip_files_are_refused_or_read() -> None:
    """A zip file with any changed bytes is read or refused, and never crashes the check."""
    dice = random.Random(1)
    whole = zipped(("a/b.txt", b"hello" * 100), ("c.json", b"[1, 2]"))
    for _ in range(2000):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 8)):
            data[dice.randrange(4, len(data))] = dice.randrange(256)
        with contextlib.suppress(Refusal):
            assert "bot.py" in read_package(bytes(data))


@pytest.mark.filterwarnings("ignore:Empty unicode path")
def test_damage_never_leads_to_a_name_that_is_not_plain() -> None:
    """The test changes bytes in and near the names and extra fields."""
    dice = random.Random(2)
    extra = unicode_path(b"x", b"x") + b"UT\1\0\0"
    whole = assemble(Entry(b"bot.py", SOURCE), Entry(b"x", extra=extra, local_extra=extra))
    spots = [n for n in range(len(whole)) if not n < 30 + 6 + len(SOURCE)]
    for _ in range(4000):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            data[dice.choice(spots)] = dice.choice(b"./\\\0x\1\5\x0b\xff")
        with contextlib.suppress(Refusal):
            for name in read_package(bytes(data)):
                assert not {"", ".", ".."} & set(name.split("/"))
