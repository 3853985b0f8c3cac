"""Databases for tests, copied from a model, because migrating and filling each takes far longer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from ladder.store import Database, migrate
from ladder.uploads import submissions


class Shelf:
    """Databases of one kind: files of a folder, or those of a PostgreSQL server.

    There are two models: `migrated` has the newest schema, `seeded` the house bots besides.
    """

    def __init__(self, folder: Path, server: str | None = None) -> None:
        self._url = server or f"sqlite:///{folder}/{{name}}.db"
        self._folder = folder
        self._server = server and sa.create_engine(
            server.format(name="postgres"), isolation_level="AUTOCOMMIT"
        )
        with self._model("migrated") as db:
            migrate.upgrade(db)
        with self._model("seeded", "migrated") as db:
            submissions.seed_house_bots(db)

    @contextmanager
    def copy(self, model: str | None) -> Iterator[str]:
        """The URL of a database that lives as long as the block; empty without a model."""
        name = f"test_{os.urandom(6).hex()}"
        self._create(name, model)
        yield self._url.format(name=name)
        if self._server:
            self._tell(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def _model(self, name: str, model: str | None = None) -> Iterator[Database]:
        self._create(name, model)
        db = Database(self._url.format(name=name))
        yield db
        db.close()  # PostgreSQL copies only databases without connections

    def _create(self, name: str, model: str | None) -> None:
        if self._server:
            self._tell(f"CREATE DATABASE {name}" + (f" TEMPLATE {model}" if model else ""))
        elif model:
            shutil.copy(self._folder / f"{model}.db", self._folder / f"{name}.db")

    def _tell(self, statement: str) -> None:
        assert isinstance(self._server, sa.Engine)
        with self._server.connect() as c:
            c.exec_driver_sql(statement)

    def close(self) -> None:
        if self._server:
            self._server.dispose()
