"""The certificates of the signals' port."""

from __future__ import annotations

import ssl
from typing import Any


def tls_files(settings: Any) -> dict[str, str]:
    """Return the files that are set, by their option; none: HTTP without TLS."""
    names = ("signals_certificate", "signals_key", "signals_client_ca")
    return {name: getattr(settings, name) for name in names if getattr(settings, name)}


def tls_context(settings: Any) -> ssl.SSLContext:
    """Read the files.

    Raises:
        OSError, ValueError: they cannot be used.
    """
    if not settings.signals_certificate:
        raise ValueError("signals_certificate: not set, but signals_key or signals_client_ca is")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(settings.signals_certificate, settings.signals_key or None)
    if settings.signals_client_ca:
        tls.load_verify_locations(settings.signals_client_ca)
        tls.verify_mode = ssl.CERT_REQUIRED
    return tls
