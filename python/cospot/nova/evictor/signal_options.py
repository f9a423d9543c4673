"""The options of signals: what customers are told of their spots, and where they ask."""

from __future__ import annotations

from typing import Final

from oslo_config import cfg

SIGNAL_OPTIONS: Final = [
    cfg.BoolOpt(
        "signals",
        default=False,
        help="Keep signals of spots for their customers (eviction rate, expected uptime, risk) in "
        "signals.json of state_path, for `cospot-nova signals`. On in any case with signals_port.",
    ),
    cfg.FloatOpt(
        "signals_interval",
        default=60.0,
        min=0.1,
        help="Seconds between two looks at which servers have changed, for the signals.",
    ),
    cfg.IntOpt(
        "signals_days",
        default=90,
        min=28,
        max=3650,
        help="Spots that ended so many days ago are forgotten.",
    ),
    cfg.StrOpt(
        "lifetime_promises",
        default="",
        help="File of `cospot-nova promise`: the signals then have what new spots could be "
        "promised. The same as in [cospot] of nova.conf. Empty: none.",
    ),
    cfg.PortOpt(
        "signals_port",
        default=0,
        help="Port on which Nova's dynamic vendordata (POST /vendordata) and the signals "
        "(GET /signals) are answered; 0: none.",
    ),
    cfg.StrOpt("signals_address", default="127.0.0.1", help="Address of that port."),
    cfg.StrOpt(
        "signals_certificate",
        default="",
        help="PEM file with the certificate for that port, and those that signed it. Empty: HTTP "
        "without TLS.",
    ),
    cfg.StrOpt(
        "signals_key",
        default="",
        help="PEM file with the key of the certificate. Empty: in the same file.",
    ),
    cfg.StrOpt(
        "signals_client_ca",
        default="",
        help="PEM file with the certificates of authorities: only clients with a certificate of "
        "one of them are answered. Nova has its own in [vendordata_dynamic_auth] certfile.",
    ),
]
