"""Promises of the files in `docker/`. `prove.docker` builds and runs them with a real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ladder.runner import selftest
from ladder.settings import Settings

FOLDER = Path(__file__).parents[1] / "docker"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    return found


def test_a_password_may_have_any_characters(services: dict[str, Any]) -> None:
    for name in ("server", "worker"):
        environment = services[name]["environment"]
        assert "POSTGRES_PASSWORD" not in environment["LADDER_DATABASE"]
        assert "POSTGRES_PASSWORD" in environment["PGPASSWORD"]


def test_containers_have_no_more_rights_than_they_need(services: dict[str, Any]) -> None:
    for name in ("server", "worker"):
        service = services[name]
        assert service["cap_drop"] == ["ALL"]
        assert sorted(service["cap_add"]) == sorted(selftest._CAPABILITIES)
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["read_only"]
        assert service["tmpfs"] == ["/tmp:exec"], "native bots of `ladder play` are started there"
        assert service["init"]


def test_matches_may_end_before_containers_are_killed(services: dict[str, Any]) -> None:
    for name in ("server", "worker"):
        seconds = int(services[name]["stop_grace_period"].removesuffix("s"))
        assert seconds >= 2 * Settings().drain_seconds


def test_server_and_workers_have_one_image(services: dict[str, Any]) -> None:
    assert services["server"]["image"] == services["worker"]["image"]
    assert "healthcheck" in services["server"]


def test_the_slow_steps_come_before_the_code() -> None:
    """Otherwise a change of one line would install and compile everything again."""
    lines = (FOLDER / "Dockerfile").read_text().splitlines()

    def line_of(start: str) -> int:
        return next(at for at, line in enumerate(lines) if line.strip().startswith(start))

    assert line_of("&& pip install") < line_of("COPY engines")
    assert line_of("COPY engines") < line_of("RUN python -m engines.compiling.warmup")
    assert line_of("RUN python -m engines.compiling.warmup") < line_of("COPY evolve")
    assert line_of("RUN python -m engines.compiling.warmup") < line_of("COPY ladder")
