"""WebAssembly on the ladder: from the upload to the board, played only by tiers that can run it."""

from __future__ import annotations

from pathlib import Path

import pytest
import wasmtime
from ladder_steps import OWNER, account

from ladder.errors import BadUpload, NoSandbox, NotFound
from ladder.matches import leasing
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished, finish
from ladder.runner import play_job
from ladder.runner.selftest import choose_tier
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import Kind, VersionStatus

# Always answers with the first legal move: it copies the request from behind "legal":[ on.
BOT = bytes(
    wasmtime.wat2wasm(
        r"""(module
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 3)
  (data (i32.const 0) "\00\10\00\00\00\00\01\00")  ;; 64 KiB from 4096, to read into
  (data (i32.const 16) "\40\00\00\00\08\00\00\00\00\00\00\00\03\00\00\00\50\00\00\00\02\00\00\00")
  (data (i32.const 64) "{\"move\":")
  (data (i32.const 80) "}\n")
  (data (i32.const 96) "\"legal\":[")
  (func $finds (param $at i32) (result i32) (local $n i32)
    (loop $next
      (if (i32.ne (i32.load8_u (i32.add (local.get $at) (local.get $n)))
                  (i32.load8_u (i32.add (i32.const 96) (local.get $n))))
        (then (return (i32.const 0))))
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $n) (i32.const 9))))
    (i32.const 1))
  (func (export "_start") (local $at i32)
    (loop $again
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
      (if (i32.load (i32.const 8)) (then
        (local.set $at (i32.const 4096))
        (loop $search
          (if (call $finds (local.get $at)) (then
            (i32.store (i32.const 24) (i32.add (local.get $at) (i32.const 9)))
            (drop (call $write (i32.const 1) (i32.const 16) (i32.const 3) (i32.const 8))))
          (else
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br_if $search (i32.lt_u (local.get $at) (i32.const 69000))))))
        (br $again)))))
)"""
    )
)


def test_from_upload_to_the_board(sqlite_db: Database, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    try:
        tier = choose_tier(tmp_path, "C")
    except NoSandbox as error:
        pytest.skip(str(error))
    kinds = tuple(kind for kind in Kind if kind.runs_in(tier))
    db, ada = sqlite_db, account(sqlite_db)
    sent = submissions.submit(db, ada, Upload("connect-four", "mybot", BOT))
    assert not leasing.lease(db, OWNER, 60, 1, leasing.Playable((Kind.HOUSE, Kind.PYTHON)))
    (leased,) = leasing.lease(db, OWNER, 60, 1, leasing.Playable(kinds))
    report = play_job(leased, tmp_path, tier)
    assert finish(db, ReplayStore(tmp_path / "replays"), OWNER, [Finished(report, leased.attempt)])
    bot = submissions.bot(db, sent.id, None)
    assert (bot.kind, bot.versions[0].status) == (Kind.WASM, VersionStatus.ACCEPTED)
    with pytest.raises(NotFound, match="its kind is wasm"):
        submissions.program(db, sent.version.sha256)


def test_wasm_without_a_start_function_is_refused_at_its_upload(sqlite_db: Database) -> None:
    with pytest.raises(BadUpload, match="no function _start"):
        submissions.submit(
            sqlite_db, account(sqlite_db), Upload("reversi", "mybot", b"\0asm\1\0\0\0")
        )
