"""Whether the commands in a text exist, with their options, and the files of a clone they name."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

from pages import ROOT

PROGRAMS = {
    "cospot": [os.environ.get("COSPOT_PROGRAM", "cospot")],
    "cospot-nova": [sys.executable, "-m", "cospot.nova.tools.command"],
    "cospot-evictor": [sys.executable, "-m", "cospot.nova.evictor"],
}
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#\s.*$", re.MULTILINE)
_CALL = re.compile(
    r"(?<![\w./$-])(cospot|cospot-nova|cospot-evictor|python3? -m cospot)(?= +[a-z\[.-])"
)
_OPTION = re.compile(r"(?<![\w./=$<-])--?[A-Za-z][\w-]*")
_CLONED = re.compile(r"(?<![\w./$*}-])(?:examples|docs|scripts|tests)/[\w./*-]*\w")


@functools.cache
def help_of(program: str, path: tuple[str, ...]) -> str:
    """Return what `--help` of a command prints; nothing when there is no such command."""
    done = subprocess.run(
        [*PROGRAMS[program], *path, "--help"], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def subcommands(program: str, path: tuple[str, ...]) -> frozenset[str]:
    """Return the commands below one."""
    indent = 2 if program == "cospot" else 4  # CLI11's and argparse's
    row = re.compile(rf"^ {{{indent}}}([a-z][a-z-]*)(?: {{2,}}|$)", re.MULTILINE)
    return frozenset(row.findall(help_of(program, path)))


@functools.cache
def options(program: str, path: tuple[str, ...]) -> frozenset[str]:
    """Return the options of a command, long and short."""
    lines = [line.strip() for line in help_of(program, path).splitlines()]
    names = [line.partition("  ")[0] for line in lines if line.startswith("-")]
    return frozenset(_OPTION.findall("\n".join(names)))


def calls(text: str) -> list[tuple[str, list[str]]]:
    """Return the calls of our programs in a text of shell code: the program, and its words."""
    text = re.sub(r"\\\n", " ", text)
    text = _COMMENT.sub("", _QUOTED.sub(" QUOTED ", text))
    found = []
    for segment in re.split(r"\n|;|&&|\|\| | \| |\$\(|\)", text):
        call = _CALL.search(segment)
        if call:
            program = "cospot" if call[1].startswith("python") else call[1]
            found.append((program, re.split(r"[\s\[\]]+", segment[call.end() :].strip())))
    return found


def faults(text: str) -> list[str]:
    """Return what is wrong with the commands of a text."""
    found = []
    for program, said in calls(text):
        words = said[1:] if said[0] == "help" else said
        path: tuple[str, ...] = ()
        for word in words:
            if word not in subcommands(program, path):
                break
            path += (word,)
        rest, name = words[len(path) :], " ".join((program, *path))
        if subcommands(program, path) and rest and re.fullmatch(r"[a-z][a-z-]*", rest[0]):
            found.append(f"{name} has no command '{rest[0]}'")
            continue
        known = options(program, path) | {"--help", "-h"}
        given = _OPTION.findall(" ".join(word.partition("=")[0] for word in rest))
        found += [f"{name} has no {option}" for option in given if option not in known]
    files = [file for file in _CLONED.findall(text) if not any(ROOT.glob(file))]
    return found + [f"there is no {file}" for file in files]


def is_there(program: str) -> bool:
    """Whether a program can say what its commands are: the operator's need Nova's packages."""
    if program == "cospot":
        return Path(PROGRAMS[program][0]).is_file()
    return bool(help_of(program, ()))
