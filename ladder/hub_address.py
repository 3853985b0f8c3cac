"""The address of a cluster's hub, and the TLS settings of connections to it.

It needs Dask and `ladder.addresses` alone, so that `evolve` can use it. It connects to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from distributed import Security

from ladder.addresses import is_loopback


@dataclass(frozen=True)
class HubAddress:
    """The address, and the PEM files that `tls://` needs."""

    executor: str
    tls_ca: str = ""
    tls_cert: str = ""
    tls_key: str = ""

    def security(self) -> Security | None:
        """The TLS settings; None for a loopback address. Raises `ValueError`."""
        try:
            parts = urlsplit(self.executor)
            host, port, scheme = parts.hostname, parts.port, parts.scheme
        except ValueError:
            host, port, scheme = None, None, ""
        if scheme not in ("tls", "tcp") or not host or not port:
            raise ValueError(
                f"executor must look like tls://hub.example:8786, not {self.executor[:80]!r}"
            )
        if scheme == "tcp":
            if not is_loopback(host):
                raise ValueError(
                    "executor: members of the cluster can run code on it, so an address other "
                    "than this machine's own needs tls:// and certificates"
                )
            return None
        for name in ("tls_ca", "tls_cert", "tls_key"):
            _check_readable(name, getattr(self, name))
        roles = ("client", "scheduler", "worker")
        return Security(
            require_encryption=True,
            tls_ca_file=self.tls_ca,
            **{f"tls_{role}_cert": self.tls_cert for role in roles},
            **{f"tls_{role}_key": self.tls_key for role in roles},
        )


def _check_readable(name: str, path: str) -> None:
    if not path:
        raise ValueError(f"tls:// needs {name}, the path of a PEM file")
    try:
        open(path, "rb").close()
    except OSError as error:
        raise ValueError(f"{name} cannot be read: {error}") from error
