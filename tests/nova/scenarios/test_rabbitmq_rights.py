"""The rights in RabbitMQ of docs/nova/configuration.md are enough for plans, and for no more."""

import re
import shlex
from contextlib import contextmanager

import amqp
import kombu
import pytest
from deployment.backing_services import rabbitmqctl
from deployment.settings import ROOT
from oracle import Policy, state_of
from states import fill_with_spots
from waiting import wait_until
from watch import audit_lines

POLICY = Policy(vm_policy="UTIL")
TOPIC = "cospot_plans"
QUEUE = f"{TOPIC}.info"
SCHEDULER, EVICTOR = "cospot-scheduler:secret", "cospot-evictor:secret"
COMMAND = re.compile(r"^rabbitmqctl ((?:add_user|set_permissions) .*)$", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def users(cloud):
    """Make the users as the page says; they are `cospot-scheduler` and `cospot-evictor`."""
    page = (ROOT / "docs" / "nova" / "configuration.md").read_text()
    commands = [shlex.split(found) for found in COMMAND.findall(page)]
    assert [command[0] for command in commands] == ["add_user", "set_permissions"] * 2
    names = [command[1] for command in commands if command[0] == "add_user"]
    for command in commands:
        done = rabbitmqctl(cloud.settings, cloud.processes, *command)
        assert done.returncode == 0, done.stdout + done.stderr
    yield
    for name in names:
        rabbitmqctl(cloud.settings, cloud.processes, "delete_user", name)


def url(cloud, user):
    return f"rabbit://{user}@127.0.0.1:{cloud.settings.port('rabbitmq')}/"


@contextmanager
def channel_of(cloud, user="guest:guest"):
    """Connect to RabbitMQ as a user."""
    address = url(cloud, user).replace("rabbit:", "amqp:")
    with kombu.Connection(address, connect_timeout=10) as connection:
        yield connection.channel()


def forget_queue(cloud):
    """Delete exchange and queue, so that whoever comes first has to make them."""
    with channel_of(cloud) as channel:
        channel.queue_delete(QUEUE)
        channel.exchange_delete(TOPIC)


def state_of_queue(cloud):
    """Return how many plans wait and how many listen; none while there is no queue."""
    with channel_of(cloud) as channel:
        try:
            found = channel.queue_declare(QUEUE, passive=True)
        except amqp.exceptions.NotFound:
            return 0, 0
        return found.message_count, found.consumer_count


def test_plans_are_sent_and_received_with_these_rights_alone(cloud):
    bus = f"[oslo_messaging_notifications]\ntransport_url = {url(cloud, SCHEDULER)}\n"
    fill_with_spots(cloud, POLICY, more=bus)
    # The evictor comes first: it makes exchange and queue.
    forget_queue(cloud)
    cloud.start_evictor(message_url=url(cloud, EVICTOR))
    wait_until(lambda: state_of_queue(cloud)[1] == 1, "the evictor listens")
    expected = state_of(cloud).place_vm(POLICY, 4, 4096)
    cloud.boot("vm", 4, 4096)
    cloud.wait_until_gone(expected.victims)
    cloud.wait_until_not_overcommitted()
    planned = {line["instance"] for line in audit_lines(cloud) if line.get("chosen_by") == "plan"}
    assert expected.victims <= planned
    # The scheduler comes first, in a process that has not sent anything: its plans wait.
    cloud.stop_evictors()
    cloud.restart_scheduler()
    forget_queue(cloud)
    cloud.boot("vm", 2, 2048)
    wait_until(lambda: state_of_queue(cloud) == (1, 0), "a plan waits")


def is_refused(cloud, user, action):
    with channel_of(cloud, user) as channel, pytest.raises(amqp.exceptions.AccessRefused):
        action(channel)


@pytest.mark.keeps_instances
def test_whoever_receives_plans_cannot_send_any_nor_read_other_messages(cloud):
    def send_a_plan(channel):
        kombu.Producer(channel).publish({}, exchange=TOPIC, routing_key=QUEUE)
        channel.queue_declare(QUEUE, passive=True)  # an answer, which the refusal comes before

    def send_past_the_exchange(channel):
        channel.exchange_bind(TOPIC, source="nova", routing_key=QUEUE)

    is_refused(cloud, EVICTOR, send_a_plan)
    is_refused(cloud, EVICTOR, send_past_the_exchange)
    for user in (SCHEDULER, EVICTOR):
        is_refused(cloud, user, lambda channel: channel.basic_get("conductor"))
        is_refused(cloud, user, lambda channel: channel.queue_declare("conductor"))
        is_refused(cloud, user, lambda channel: channel.exchange_declare("nova", "topic"))
    is_refused(cloud, SCHEDULER, lambda channel: channel.basic_get(QUEUE))
