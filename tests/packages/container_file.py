"""Reads a container file as far as ours go: the last stage, as what a machine has to do."""

import dataclasses
import json
import re
from pathlib import Path

_MOUNT = re.compile(r"--mount=type=bind,from=(\w+),target=(\S+)\s+")


@dataclasses.dataclass
class Stage:
    """The last stage of a container file."""

    image: str
    commands: list[str]  # of RUN, in order
    mounts: dict[str, str]  # the stage that is mounted, and where
    user: str
    workdir: str
    entrypoint: list[str]
    command: list[str]


def read_last_stage(path: Path) -> Stage:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
    lines = [line.strip() for line in re.sub(r"\\\n\s*", "", text).splitlines() if line.strip()]
    last = max(index for index, line in enumerate(lines) if line.startswith("FROM "))
    stage = Stage(lines[last].split()[1], [], {}, "root", "/", [], [])
    for line in lines[last + 1 :]:
        word, rest = line.split(maxsplit=1)
        if word == "RUN":
            stage.mounts |= dict(_MOUNT.findall(rest))
            stage.commands.append(_MOUNT.sub("", rest))
        elif word in ("USER", "WORKDIR"):
            setattr(stage, word.lower(), rest)
        elif word in ("ENTRYPOINT", "CMD"):
            setattr(stage, "command" if word == "CMD" else "entrypoint", json.loads(rest))
        elif word not in ("EXPOSE", "VOLUME"):
            raise ValueError(f"{path}: the test does not know {word}")
    return stage
