"""docs/security.md lists every attack of the corpus. Run with `python -m`, this writes the list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.hostile.corpus import CORPUS

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
HEADING = "## Attacks\n"
FAMILIES = {
    "files": "Files",
    "covert": "Covert channels",
    "network": "Network",
    "processes": "Processes and signals",
    "privileges": "Privileges and the kernel",
    "scheduling": "Scheduling, limits and timers",
    "memory": "Memory",
    "time": "Time",
    "crashes": "Crashes and exits",
    "wire": "The wire",
    "python tricks": "Python",
    "webassembly": "WebAssembly",
    "native programs": "Native programs",
    "uploads": "Uploads",
    "modules": "Modules in uploads",
}


def tables() -> Iterator[str]:
    """The list of attacks, by family."""
    for family, title in FAMILIES.items():
        yield f"\n### {title}\n\n| | tries | stopped by |\n|---|---|---|\n"
        for attack in CORPUS:
            if attack.family == family:
                mark = " •" if attack.bites else ""
                tiers = f" (tier {', '.join(attack.tiers)})" if attack.tiers == ("A",) else ""
                layers = ", ".join(attack.stopped_by)
                yield f"| `{attack.name}`{mark} | {attack.tries} | {layers}{tiers} |\n"


def parts() -> tuple[str, str]:
    """The page up to the tables, and the tables."""
    text = PAGE.read_text()
    start = text.index("\n### Files", text.index(HEADING)) if "\n### Files" in text else len(text)
    return text[:start], text[start:]


def test_every_attack_is_in_the_page() -> None:
    assert {attack.family for attack in CORPUS} == set(FAMILIES)
    assert parts()[1] == "".join(tables())


def test_every_layer_is_explained() -> None:
    told = parts()[0]
    for layer in {layer for attack in CORPUS for layer in attack.stopped_by}:
        assert f"**{layer}**" in told, layer


if __name__ == "__main__":
    PAGE.write_text(parts()[0] + "".join(tables()))
