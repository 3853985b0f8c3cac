"""Finds the kind of an upload by its content, and refuses uploads that cannot play their game.

A program is data: it is checked in full here, and played in this process like a house bot.
Everything else is code; `package`, `wasm` and `native` check only its container.
"""

from __future__ import annotations

from engines.competition import Competition, Player
from engines.game import Game
from engines.programs import text as programs
from engines.programs.trees import BadProgram
from ladder.errors import BadUpload, RunnerFailure, TooLarge
from ladder.runner.native import is_native, read_native, speaks_uci
from ladder.runner.package import MAX_UPLOAD_BYTES, read_package
from ladder.runner.wasm import MAGIC, check_module
from ladder.values import Kind

_LOOKED_AT_BYTES = 4096
"""Bytes in which a program must begin, its first comments included."""


def kind_of(data: bytes) -> Kind:
    """The kind that an upload looks like; never raises."""
    if data.startswith(MAGIC):
        return Kind.WASM
    if is_native(data):
        return Kind.NATIVE
    start = data[:_LOOKED_AT_BYTES].decode("utf-8", "replace")
    return Kind.PROGRAM if programs.is_program(start) else Kind.PYTHON


def check_upload(game: Competition, data: bytes) -> Kind:
    """The kind of an upload; raises `BadUpload` or `TooLarge` if it cannot be a bot of the game."""
    kind = kind_of(data)
    if len(data) > MAX_UPLOAD_BYTES and kind is not Kind.NATIVE:
        raise TooLarge(f"The file has {len(data)} bytes; at most {MAX_UPLOAD_BYTES} are allowed.")
    if kind is Kind.PROGRAM:
        _player(game, data, 0)
    elif kind is Kind.WASM:
        check_module(data)
    elif kind is Kind.NATIVE:
        if speaks_uci(read_native(data)) and not (isinstance(game, Game) and game.uci):
            raise BadUpload(f"The bot chooses UCI, and {game.title} is not played by UCI.")
    else:
        read_package(data)
    return kind


def program_player(game: Competition, data: bytes, seed: int) -> Player:
    """The player of a program that was checked on arrival; raises `RunnerFailure`."""
    try:
        return _player(game, data, seed)
    except BadUpload as error:
        raise RunnerFailure(str(error)) from error


def _player(game: Competition, data: bytes, seed: int) -> Player:
    reader = game.programs
    if reader is None:
        raise BadUpload(f"This is a program, and {game.title} is not played by programs.")
    try:
        return reader.player(data.decode("utf-8"), seed)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadUpload(f"The program is not UTF-8 text (line {line}).") from error
    except BadProgram as error:
        raise BadUpload(f"The program cannot be read: {error}.") from error
