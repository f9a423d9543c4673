"""Connections to Nova and placement through keystoneauth, with their errors made our own."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Any, Final

from keystoneauth1 import exceptions, loading

from cospot.nova.evictor import options
from cospot.nova.evictor.errors import CloudError, SettingError

#: Answers of a service that is restarting or overloaded; a question may be asked again.
_PASSING_STATUSES: Final = [500, 502, 503, 504]
_QUESTION_RETRIES: Final = 2


class Client:
    """One service: requests in, JSON out; anything else raises `CloudError`.

    Thread-safe, as keystoneauth's sessions are. A token that expired is replaced by keystoneauth.
    """

    def __init__(self, name: str, adapter: Any, microversion: str) -> None:
        self._name = name
        self._adapter = adapter
        self._microversion = microversion
        self._told: tuple[float, float] | None = None

    def now(self) -> float:
        """Return the time by the service's own clock, seconds since the epoch.

        From the date that its last answer had: times that the service tells are compared with
        this, as this machine's clock may be another. Without any such date, this machine's time.
        """
        if self._told is None:
            return time.time()
        date, told_at = self._told
        return date + time.monotonic() - told_at

    def get(self, path: str, patience: float | None = None) -> dict[str, Any]:
        """Ask; tries again when the service is away for a moment.

        Args:
            path: below the service's endpoint, with a leading slash, quoted.
            patience: ask once and wait at most so many seconds; None: as the configuration says.

        Returns:
            the JSON object of the answer.

        Raises:
            CloudError: no such object (`status` 404), no answer, or one that is no JSON object.
        """
        retries = _QUESTION_RETRIES if patience is None else 0
        answer = self._send("GET", path, None, retries, patience)
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise CloudError(f"{self._name} GET {path}: expected a JSON object in the answer")
        return body

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> None:
        """Change something. Never tried again by itself: the caller checks first.

        Raises:
            CloudError: refused, or no answer (then it may have been done nevertheless).
        """
        self._send(method, path, body, 0)

    def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        retries: int,
        patience: float | None = None,
    ) -> Any:
        where = f"{self._name} {method} {path}"
        limit = {} if patience is None else {"timeout": patience}
        try:
            answer = self._adapter.request(
                path,
                method,
                json=body,
                microversion=self._microversion,
                headers={"Accept": "application/json"},
                raise_exc=False,
                connect_retries=retries,
                status_code_retries=retries,
                retriable_status_codes=_PASSING_STATUSES,
                **limit,
            )
        except exceptions.ClientException as error:
            # What follows are addresses of Python objects.
            text = str(error).partition(": HTTP")[0]
            raise CloudError(f"{where}: {type(error).__name__}: {text:.300}") from error
        self._note_time(answer.headers.get("Date"))
        if answer.status_code >= 400:
            text = " ".join(answer.text.split())
            raise CloudError(f"{where}: {answer.status_code} {text:.200}", answer.status_code)
        return answer

    def _note_time(self, date: str | None) -> None:
        try:
            told = parsedate_to_datetime(date or "").timestamp()
        except ValueError:
            return  # there need not be any
        self._told = told, time.monotonic()


def open_client(conf: Any, group: str, microversion: str) -> Client:
    """Make the client of a configuration group, without asking anything yet.

    Args:
        conf: oslo.config's configuration, with `options.register` done.
        group: options.NOVA_GROUP or options.PLACEMENT_GROUP.
        microversion: sent with every request, such as "2.79".

    Raises:
        SettingError: the credentials are missing or cannot be read.
    """
    auth_group = _auth_group(conf, group)
    try:
        auth = loading.load_auth_from_conf_options(conf, auth_group)
        session = loading.load_session_from_conf_options(conf, group, auth=auth)
        adapter = loading.load_adapter_from_conf_options(conf, group, session=session, auth=auth)
    except (exceptions.ClientException, TypeError, ValueError) as error:
        raise SettingError(f"[{group}]: cannot load the credentials: {error}") from error
    return Client(group, adapter, microversion)


def _auth_group(conf: Any, group: str) -> str:
    groups = dict.fromkeys((group, options.NOVA_GROUP))
    for name in groups:
        if conf[name].auth_type or conf[name].auth_section:
            return name
    places = [f"[{name}]" for name in groups]
    raise SettingError(
        f"[{group}] auth_type: not set; expected the credentials of the service user in "
        f"{' or '.join(places)}, such as auth_type = password with auth_url, "
        "username, password, project_name, user_domain_name, project_domain_name"
    )
