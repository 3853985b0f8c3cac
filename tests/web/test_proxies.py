"""Requests through proxies: addresses, limits by address, cookies over TLS."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_site import LiveSite, Serving, make_site

from ladder.addresses import (
    MOST_PROXIES,
    Network,
    came_by_https,
    client_address,
    household,
    is_loopback,
    read_networks,
)
from ladder.errors import TooMany
from ladder.settings import BadSetting, Settings
from ladder.web.http.endpoint import SITE
from ladder.web.http.throttle import Meter

PROXIES = read_networks("127.0.0.1, 10.0.0.0/8,::1")


@pytest.mark.parametrize(
    ("peer", "told", "client"),
    [
        (
            "203.0.113.9",
            "198.51.100.1",
            "203.0.113.9",
        ),  # not our proxy, so its header is ignored
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "6.6.6.6, 198.51.100.1", "198.51.100.1"),  # the client wrote the first
        ("127.0.0.1", "198.51.100.1, 10.1.2.3", "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1,10.1.2.3, 127.0.0.1", "198.51.100.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "nonsense", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1, nonsense", "127.0.0.1"),
        ("127.0.0.1", "10.1.1.1", "10.1.1.1"),
        ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::1", "2001:db8::7", "2001:db8::7"),
        ("", "198.51.100.1", ""),
    ],
)
def test_addresses_behind_proxies(peer: str, told: str, client: str) -> None:
    assert client_address(peer, [told], PROXIES) == client


@pytest.mark.parametrize(
    ("lines", "client"),
    [
        (["6.6.6.6", "198.51.100.1"], "198.51.100.1"),  # a proxy may add its own line
        (["198.51.100.1", "10.1.2.3"], "198.51.100.1"),
        (["6.6.6.6, 198.51.100.1", "10.1.2.3, 10.1.2.4", "127.0.0.1"], "198.51.100.1"),
        (["198.51.100.1", "nonsense"], "127.0.0.1"),
        (["198.51.100.1", ""], "127.0.0.1"),
        ([], "127.0.0.1"),
    ],
)
def test_all_lines_of_the_header_are_one_list(lines: list[str], client: str) -> None:
    assert client_address("127.0.0.1", lines, PROXIES) == client


def test_a_header_of_thousands_of_proxies_is_not_read_to_its_end() -> None:
    asked = 0

    class Networks(list[Network]):
        def __iter__(self) -> Iterator[Network]:
            nonlocal asked
            asked += 1
            return super().__iter__()

    told = ["10.0.0.1," * 400 + "10.0.0.1"] * 60
    assert client_address("10.0.0.9", told, Networks(PROXIES)) == "10.0.0.1"
    assert asked <= MOST_PROXIES


def test_only_a_proxy_can_report_https() -> None:
    assert came_by_https("10.0.0.1", ["https"], PROXIES)
    assert came_by_https("10.0.0.1", ["https, HTTPS", "https"], PROXIES)
    assert not came_by_https("203.0.113.9", ["https"], PROXIES)
    for told in (["http"], [], ["https", "http"], ["https, http"], ["http", "https"]):
        assert not came_by_https("10.0.0.1", told, PROXIES)


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("localhost", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:192.0.2.1", False),
        ("0.0.0.0", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_loopback(host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own


def test_households() -> None:
    assert household("::ffff:198.51.100.1") == "198.51.100.1"
    assert household("2001:db8::1") == household("2001:db8::2")
    assert household("odd") == "odd"


def test_proxies_are_checked_at_the_start() -> None:
    with pytest.raises(BadSetting, match="proxies"):
        Settings(proxies="my proxy")


def test_a_meter_is_cheap_and_bounded() -> None:
    now = 0.0
    meter = Meter(2, 60, places=3, clock=lambda: now)
    for place in ("a", "a", "b", "c"):
        meter.count(place, "things")
    with pytest.raises(TooMany) as refused:
        meter.count("a", "things")
    assert refused.value.retry_after == 60
    meter.count("d", "things")
    meter.count("e", "things")
    with pytest.raises(TooMany):  # all new ones share one count now
        meter.count("f", "things")
    now = 60.0
    meter.count("a", "things")


@pytest.fixture
def proxied(folder: Path) -> Iterator[LiveSite]:
    live = make_site(folder, proxies="127.0.0.1", requests_per_minute=20, accounts_per_hour=3)
    with Serving(live.app) as live.url:
        yield live
    live.db.close()


def test_requests_are_limited_by_address(proxied: LiveSite) -> None:
    def codes(address: str, count: int) -> set[int]:
        told = {"X-Forwarded-For": f"6.6.6.6, {address}"}
        return {proxied.get("/healthz", headers=told).status_code for _ in range(count)}

    assert codes("198.51.100.1", 20) == {200}
    refused = proxied.get("/api/v1/games", headers={"X-Forwarded-For": "198.51.100.1"})
    assert refused.status_code == 429
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    page = proxied.get("/", headers={"X-Forwarded-For": "198.51.100.1"})
    assert (page.status_code, page.headers["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert codes("198.51.100.2", 20) == {200}, "every address has its own count"


def raw_status(site: LiveSite, *headers: str) -> int:
    """The status of the answer to a request with exactly these header lines."""
    where = urlsplit(site.url)
    with socket.create_connection((where.hostname, where.port), timeout=10) as raw:
        head = ["GET /healthz HTTP/1.1", "Host: ladder", "Connection: close", *headers]
        raw.sendall("".join(f"{line}\r\n" for line in [*head, ""]).encode())
        return int(raw.recv(64).split()[1])


def test_a_second_line_is_no_way_around_the_limits(proxied: LiveSite) -> None:
    """The client wrote the first line, and the proxy added the second."""
    codes = [
        raw_status(proxied, f"X-Forwarded-For: 198.51.100.{n}", "X-Forwarded-For: 203.0.113.7")
        for n in range(21)
    ]
    assert codes == [200] * 20 + [429]


def test_a_proxy_that_is_not_listed_is_an_ordinary_address(folder: Path) -> None:
    """Also on loopback, the place of most proxies, which forward requests of strangers."""
    live = make_site(folder, requests_per_minute=20)
    with Serving(live.app) as live.url:
        codes = [
            live.get("/healthz", headers={"X-Forwarded-For": f"198.51.100.{n}"}).status_code
            for n in range(21)
        ]
        assert codes == [200] * 20 + [429]
    live.db.close()


def test_bad_tokens_from_loopback_count_too(site: LiveSite) -> None:
    site.app[SITE].failures._allowed = 3
    codes = [site.get("/api/v1/account", f"lad_{n}").status_code for n in range(4)]
    assert codes == [401, 401, 401, 429]


def test_requests_are_limited_by_account(proxied: LiveSite) -> None:
    """The limit of an account covers all its addresses."""
    token = proxied.account("ada")
    codes = [
        proxied.get(
            "/api/v1/account", token, headers={"X-Forwarded-For": f"198.51.100.{n}"}
        ).status_code
        for n in range(30)
    ]
    assert codes == [200] * 20 + [429] * 10


def test_new_accounts_are_counted_behind_the_proxy(proxied: LiveSite) -> None:
    def register(name: str, address: str) -> int:
        told = {"X-Forwarded-For": address}
        answer = proxied.post("/api/v1/accounts", json={"name": name}, headers=told)
        return answer.status_code

    assert [register(f"a{n}", "198.51.100.1") for n in range(4)] == [201, 201, 201, 429]
    assert register("b", "198.51.100.2") == 201


def test_forwarded_addresses_of_strangers_are_ignored(folder: Path) -> None:
    live = make_site(folder, accounts_per_hour=2)
    with Serving(live.app) as live.url:
        codes = [
            live.post(
                "/api/v1/accounts",
                json={"name": f"a{n}"},
                headers={"X-Forwarded-For": f"198.51.100.{n}", "X-Forwarded-Proto": "https"},
            ).status_code
            for n in range(3)
        ]
        assert codes == [201, 201, 429]
        signed_in = live.post(
            "/signin", data={"token": "x"}, headers={"X-Forwarded-Proto": "https"}
        )
        assert "Strict-Transport-Security" not in signed_in.headers
    live.db.close()


def test_cookies_are_secure_where_the_proxy_speaks_tls(proxied: LiveSite) -> None:
    tls = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "198.51.100.1"}
    answer = proxied.post("/register", data={"name": "ada", "invite": ""}, headers=tls)
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("__Host-session=")
    for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert word in cookie
    assert "Domain" not in cookie
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
    held = cookie.split(";")[0]
    assert proxied.get("/me", headers={**tls, "Cookie": held}).status_code == 200
    # Over plain HTTP, an attacker in the network could have set a cookie of that name.
    assert proxied.get("/me", headers={"Cookie": held}).status_code == 303
    plain = held.removeprefix("__Host-")
    assert proxied.get("/me", headers={**tls, "Cookie": plain}).status_code == 303
