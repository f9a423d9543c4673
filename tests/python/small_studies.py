"""A study file for every study: small, next to its inputs, in a folder of tests/cli."""

SMALL_STUDIES = {
    "compare": "compare/sweep.yaml",
    "degradation": "degradation/sweep.yaml",
    "economy": "economy/study.yaml",
    "levels": "levels/study.yaml",
    "sla": "sla/study.yaml",
    "broker": "broker/broker.yaml",
    "deadline": "broker/deadline.yaml",
    "classes": "classes/classes.yaml",
    "life": "life/study.yaml",
    "schedulers": "schedulers/study.yaml",
    "notice": "notice/study.yaml",
    "signals": "signals/signals.yaml",
}
