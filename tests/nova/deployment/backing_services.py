"""MariaDB and RabbitMQ of a deployment: own data, own ports, own cookies."""

import os
import socket
import subprocess

from waiting import wait_until

from .settings import PASSWORD

DATABASES = ("keystone", "placement", "nova_api", "nova_cell0", "cinder", "nova")


def answers(port):
    """Tell whether something listens on a port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def root_user():
    return ["--user=root"] if os.geteuid() == 0 else []


def install_mariadb(settings, processes):
    """Make the data folder, and that of temporary tables."""
    (settings.folder / "mariadb-tmp").mkdir(exist_ok=True)
    processes.call(
        "mariadb-install",
        [
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={settings.folder}/mariadb",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            *root_user(),
        ],
    )
    statements = [f"CREATE DATABASE IF NOT EXISTS {name} CHARACTER SET utf8;" for name in DATABASES]
    statements += [
        f"CREATE USER IF NOT EXISTS cospot@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';",
        "GRANT ALL ON *.* TO cospot@'127.0.0.1';",
        f"ALTER USER root@localhost IDENTIFIED BY '{PASSWORD}';",
    ]
    (settings.folder / "mariadb-init.sql").write_text("\n".join(statements) + "\n")


def start_mariadb(settings, processes):
    processes.start(
        "mariadb",
        [
            "mariadbd",
            "--no-defaults",
            f"--datadir={settings.folder}/mariadb",
            # A server that starts removes all temporary tables in its folder for these: those of
            # another deployment, too, if they had one in common, and statements fail there.
            f"--tmpdir={settings.folder}/mariadb-tmp",
            "--socket=mariadb.sock",  # in the data folder: a whole path may be too long for one
            "--pid-file=mariadb.pid",
            "--bind-address=127.0.0.1",
            f"--port={settings.port('mariadb')}",
            f"--init-file={settings.folder}/mariadb-init.sql",
            "--skip-name-resolve",
            "--skip-log-bin",
            "--max-connections=500",
            # Placement 8 tries a claim again that collided with another, with a fresh generation of
            # the host and, under InnoDB's own REPEATABLE READ, with usages from before the other:
            # VMs alone then overcommit hosts, cospot or not. Seen with 4 claims at once.
            "--transaction-isolation=READ-COMMITTED",
            # The data live as long as the deployment, so nothing need survive a power cut.
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--skip-innodb-doublewrite",
            *root_user(),
        ],
    )


def wait_for_mariadb(settings):
    import pymysql

    def connects():
        try:
            pymysql.connect(
                host="127.0.0.1",
                port=settings.port("mariadb"),
                user="cospot",
                password=PASSWORD,
                database=DATABASES[-1],
            ).close()
        except pymysql.Error:
            return False
        return True

    wait_until(connects, "MariaDB answers")


def change_database(settings, database, statement, values):
    """Run a statement of SQL; return how many rows it has changed."""
    import pymysql

    connection = pymysql.connect(
        host="127.0.0.1",
        port=settings.port("mariadb"),
        user="cospot",
        password=PASSWORD,
        database=database,
        autocommit=True,
    )
    with connection, connection.cursor() as cursor:
        return cursor.execute(statement, values)


def rabbitmq_environment(settings):
    folder = settings.folder / "rabbitmq"
    return {
        "HOME": str(folder),  # the cookie is in it
        "RABBITMQ_NODENAME": f"cospot_{settings.name}@localhost",
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "environment"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_DIST_PORT": str(settings.port("rabbitmq-dist")),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        "ERL_EPMD_PORT": str(settings.port("epmd")),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
    }


def start_rabbitmq(settings, processes):
    # The script behind Debian's, which lets only root and its own user in.
    processes.start(
        "rabbitmq", ["/usr/lib/rabbitmq/bin/rabbitmq-server"], rabbitmq_environment(settings)
    )


def rabbitmqctl(settings, processes, *arguments):
    """Run RabbitMQ's command; return how it ended, with its output."""
    return subprocess.run(
        ["/usr/lib/rabbitmq/bin/rabbitmqctl", "--silent", *arguments],
        env=processes.environment(rabbitmq_environment(settings)),
        cwd=settings.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def queues_with_consumers(settings, processes):
    """Return the names of RabbitMQ's queues that someone listens on."""
    done = rabbitmqctl(settings, processes, "list_queues", "name", "consumers")
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0] for row in rows if len(row) == 2 and row[1] != "0"}


def wait_for_rabbitmq(settings):
    wait_until(lambda: answers(settings.port("rabbitmq")), "RabbitMQ answers")
