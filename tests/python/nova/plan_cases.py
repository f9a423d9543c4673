"""What the tests of plans share: a study file as `cospot plan -o` writes it."""

STUDY = {
    "study": "compare", "workloads": "\n  - history.csv", "host": "{vcpus: 8, memory_mb: 16384}",
    "hosts": "2", "vm": "[COS]", "spot": "[sDPD]", "evictor": "[YJF]", "saf": "on", "otn": "[16]",
}  # fmt: skip
ECONOMY = {
    "study": "levels", "economy": "[COS]", "economy_percent": "25", "promise": "0.5",
    "forecaster": "ses", "economy_price": "0.5", "opportunistic_price": "0.3", "period_hours": "24",
    "training_days": "2", "horizon_days": "2", "seed": "1",
}  # fmt: skip


def write_plan(path, promises=(), **changes):
    """Write a plan.

    Args:
        promises: pairs of hours and probability.
        changes: keys of the study with their text; None takes one away.
    """
    lines = ["# What `cospot plan` advises:", "#   Sell all idle capacity as spots."]
    lines += [f"# promise: hours={hours} probability={share}" for hours, share in promises]
    for key, text in {**STUDY, **changes}.items():
        if text is not None:
            lines.append(f"{key}: {text}")
    path.write_text("\n".join(lines) + "\n")
    return path
