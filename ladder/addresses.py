"""The address that a request comes from: that of the connection, or the one that a trusted proxy
names.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

REMEMBERED = 4096
"""Addresses that are parsed once: every request needs one."""

MOST_PROXIES = 32
"""Most proxies in a row that are followed: a hostile header may name thousands of addresses."""


def read_networks(text: str) -> tuple[Network, ...]:
    """The networks of a list such as `127.0.0.1, 10.0.0.0/8`; raises `ValueError`."""
    parts = [part.strip() for part in text.split(",")]
    return tuple(ipaddress.ip_network(part, strict=False) for part in parts if part)


@lru_cache(REMEMBERED)
def _read(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address


def is_loopback(host: str) -> bool:
    """Whether a host, by name or address, is this machine alone."""
    found = _read(host)
    return host == "localhost" or (found is not None and found.is_loopback)


def is_among(address: str, networks: Sequence[Network]) -> bool:
    found = _read(address)
    return found is not None and any(
        found.version == network.version and found in network for network in networks
    )


@lru_cache(REMEMBERED)
def household(address: str) -> str:
    """One IPv6 subscriber has a whole /64; limits of single addresses would be useless."""
    found = _read(address)
    if found is None:
        return address
    if found.version == 6:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def client_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """The address of the client; `forwarded` are all lines of `X-Forwarded-For`, in order.

    Each proxy appends the address it was called from, to the last line or as a line of its own. So
    the lines are one list, which is read from its end for as long as the speaker is a proxy of
    ours. Strangers may have written the rest.
    """
    speaker = peer
    told = _from_the_end(forwarded)
    for _ in range(MOST_PROXIES):
        if not is_among(speaker, proxies):
            break
        found = _read(next(told, ""))
        if found is None:
            break
        speaker = str(found)
    return speaker


def _from_the_end(lines: Sequence[str]) -> Iterator[str]:
    for line in reversed(lines):
        yield from reversed(line.split(","))


def came_by_https(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> bool:
    """Whether a trusted proxy says that the browser speaks TLS to it.

    `forwarded` are all lines of `X-Forwarded-Proto`. A proxy may pass on lines of a stranger beside
    its own, so all of them must say `https`.
    """
    told = {word.strip().lower() for line in forwarded for word in line.split(",")}
    return told == {"https"} and is_among(peer, proxies)
