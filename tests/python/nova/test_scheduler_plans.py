"""Plans on the message bus, and what Nova knows the plugin by."""

from __future__ import annotations

import threading
from typing import Any

from cospot.nova.scheduler.decider import Decider
from cospot.nova.scheduler.filter import CospotFilter
from cospot.nova.scheduler.nova_settings import faults_of_nova_settings
from cospot.nova.scheduler.plan_publisher import PlanPublisher, make_plan
from nova.scheduler import weights
from scheduler_cases import CONF, new_uuid
from waiting import PATIENCE_S


def some_plan() -> Any:
    return make_plan(new_uuid(), "project", {}, ())


def test_a_message_bus_that_is_away_costs_the_request_nothing(caplog):
    hangs = threading.Event()

    def make_sender() -> Any:
        return lambda message: hangs.wait(PATIENCE_S)

    publisher = PlanPublisher(make_sender, most_waiting=2)
    for _ in range(6):
        publisher.publish(some_plan())
    # One is being sent, unless its thread has not come to it yet; two wait.
    assert publisher.dropped in (3, 4)
    assert "was dropped, because 2 plans wait for the message bus" in caplog.text
    hangs.set()
    assert publisher.wait_until_sent(PATIENCE_S)


def test_a_plan_that_cannot_be_sent_is_logged_and_the_next_one_goes(caplog):
    sent: list[str] = []
    tries = [0]

    def make_sender() -> Any:
        tries[0] += 1
        if tries[0] == 1:
            raise ConnectionError("no RabbitMQ")
        return lambda message: sent.append(message["plan_id"])

    publisher = PlanPublisher(make_sender, most_waiting=10)
    plans = [some_plan(), some_plan()]
    for plan in plans:
        publisher.publish(plan)
    assert publisher.wait_until_sent(PATIENCE_S)
    assert sent == [plans[1].plan_id]
    assert f"plan {plans[0].plan_id}" in caplog.text and "no RabbitMQ" in caplog.text


def test_a_plan_names_the_request_that_made_it():
    from oslo_context import context

    context.RequestContext(request_id="req-1", overwrite=True)
    try:
        assert some_plan().request_id == "req-1"
    finally:
        context._request_store.context = None
    assert some_plan().request_id == ""


def test_plans_go_through_an_exchange_of_their_own(tmp_path):
    """RabbitMQ's rights on it are rights on nothing else; with the bus inside this process."""
    from cospot.nova.evictor.plans import PlanIntake
    from cospot.nova.scheduler.plan_publisher import NotificationSender
    from oslo_config import cfg
    from oslo_messaging._drivers.impl_fake import FakeExchangeManager

    conf = cfg.ConfigOpts()
    conf.register_opt(cfg.StrOpt("host", default="controller"))
    path = tmp_path / "nova.conf"
    path.write_text("[DEFAULT]\ntransport_url = fake://\n")
    conf(["--config-file", str(path)])
    arrived = threading.Event()

    class Endpoint:
        def info(self, *arguments: Any) -> None:
            arrived.set()

    intake = PlanIntake(conf, "plans_of_a_test", Endpoint())
    intake.start()
    try:
        NotificationSender(conf, "plans_of_a_test")({"a": "plan"})
        assert arrived.wait(PATIENCE_S)
    finally:
        intake.stop()
    assert "plans_of_a_test" in FakeExchangeManager._exchanges
    assert conf.control_exchange == "openstack"  # of everything else


def test_novas_own_options_are_checked(set_option):
    set_option(
        "filter_scheduler",
        enabled_filters=["ComputeFilter", "CospotFilter"],
        weight_classes=["cospot.nova.scheduler.weigher.CospotWeigher"],
    )
    assert faults_of_nova_settings(CONF) == []
    set_option(
        "filter_scheduler",
        enabled_filters=["CospotFilter", "ComputeFilter"],
        weight_classes=["nova.scheduler.weights.all_weighers"],
        host_subset_size=9,
        track_instance_changes=False,
    )
    faults = " ".join(faults_of_nova_settings(CONF))
    for word in (
        "must end with",
        "weight_classes must be",
        "host_subset_size is 9",
        "track_instance_changes",
    ):
        assert word in faults


def test_nova_loads_the_plugin_by_its_names():
    from nova.scheduler import filters

    found = filters.HostFilterHandler().get_matching_classes(
        ["cospot.nova.scheduler.filter.CospotFilter"]
    )
    assert found == [CospotFilter]
    classes = weights.HostWeightHandler().get_matching_classes(
        ["cospot.nova.scheduler.weigher.CospotWeigher"]
    )
    assert [cls.__name__ for cls in classes] == ["CospotWeigher"]
    assert isinstance(CospotFilter()._decider, Decider)
