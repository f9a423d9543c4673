"""Databases for the tests of what several machines share: SQLite in a file, and MariaDB."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from waiting import PATIENCE_S, wait_until

PASSWORD = "s3cret-of-tests"


def has_mariadb() -> bool:
    """Tell whether a server can be started here."""
    try:
        import pymysql  # noqa: F401
    except ImportError:
        return False
    return all(map(shutil.which, ("mariadbd", "mariadb-install-db")))


#: The parameters of a fixture, of which the second one asks for the fixture `mariadb_url`.
SERVERS: Final = (
    "sqlite",
    pytest.param(
        "mariadb", marks=pytest.mark.skipif(not has_mariadb(), reason="needs mariadb-server")
    ),
)


@contextmanager
def mariadb(folder: Path) -> Iterator[str]:
    """Run a server with data of its own; gives the URL of its empty database `cospot`."""
    as_root = ["--user=root"] if os.geteuid() == 0 else []
    data, log = folder / "data", folder / "log"
    (folder / "tmp").mkdir(parents=True)
    with log.open("wb") as out:
        subprocess.run(
            [
                *("mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db"),
                *("--auth-root-authentication-method=normal", *as_root),
            ],
            check=True,
            stdout=out,
            stderr=out,
        )
        (folder / "init.sql").write_text(
            "CREATE DATABASE cospot CHARACTER SET utf8mb4;\n"
            f"CREATE USER cospot@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\n"
            "GRANT ALL ON *.* TO cospot@'127.0.0.1';\n"
        )
        port = _free_port()
        server = subprocess.Popen(
            [
                *("mariadbd", "--no-defaults", f"--datadir={data}", f"--tmpdir={folder}/tmp"),
                *("--socket=mariadb.sock", "--pid-file=mariadb.pid", "--skip-log-bin"),
                *("--bind-address=127.0.0.1", f"--port={port}", "--skip-name-resolve"),
                *(f"--init-file={folder}/init.sql", "--innodb-flush-log-at-trx-commit=0", *as_root),
            ],
            stdout=out,
            stderr=out,
        )
        try:
            _wait(port, server, log)
            yield f"mysql+pymysql://cospot:{PASSWORD}@127.0.0.1:{port}/cospot"
        finally:
            server.terminate()
            server.wait(PATIENCE_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    import pymysql

    def answers() -> bool:
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            pymysql.connect(
                host="127.0.0.1", port=port, user="cospot", password=PASSWORD, database="cospot"
            ).close()
        except pymysql.Error:
            return False
        return True

    wait_until(answers, lambda: f"MariaDB answers: {log.read_text()[-2000:]}")


@contextmanager
def deaf_server() -> Iterator[int]:
    """A port where connections are taken and nothing is ever answered."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]
