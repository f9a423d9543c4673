#!/usr/bin/env python3
"""Puts source files together, so that clang-tidy reads the headers they share once for a batch.

Four fifths of what clang-tidy does on a file of this tree is to look at headers. A batch is a file
that includes sources of equal compile flags of which none defines, in its unnamed namespaces, a
name that another defines or calls. Where this finds too little, the compiler says so, and tidy.sh
looks at each file of the batch alone.
"""

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from source_names import names_of

MOST_FILES = 10


class Source(NamedTuple):
    path: Path
    flags: tuple[str, ...]
    directory: str
    names: frozenset[str]  # that it defines in unnamed namespaces
    others: frozenset[str]  # that it calls or declares with `using`, whoever defines them

    def goes_with(self, other: "Source") -> bool:
        return self.flags == other.flags and not (
            self.names & (other.names | other.others) or other.names & self.others
        )


def compile_flags(command: list[str]) -> tuple[str, ...]:
    """What a compiler is told, but for its input and output."""
    flags = []
    words = iter(command[1:])
    for word in words:
        if word in {"-o", "-c"}:
            next(words)
        else:
            flags.append(word)
    return tuple(flags)


def foreign_names(text: str) -> frozenset[str]:
    """Free functions that a file calls and names that it declares with `using`."""
    called = re.findall(r"(?<![.>:\w])(\w+)\(", text)
    return frozenset(called) | frozenset(re.findall(r"^ *using [\w:]+::(\w+);", text, re.M))


def read_sources(database: Path, wanted: set[Path]) -> Iterator[Source]:
    seen: set[Path] = set()
    for entry in json.loads(database.read_text()):
        path = Path(entry["directory"], entry["file"]).resolve()
        if path not in wanted or path in seen:
            continue
        seen.add(path)
        flags = compile_flags(shlex.split(entry["command"]))
        text = path.read_text()
        names = frozenset(name.rpartition("::")[2] for name in names_of(text).unnamed)
        yield Source(path, flags, entry["directory"], names, foreign_names(text))


def make_batches(sources: list[Source]) -> list[list[Source]]:
    """Neighbours first, because they include the same headers."""
    batches: list[list[Source]] = []
    for source in sorted(sources, key=lambda one: (one.flags, one.path)):
        for batch in reversed(batches):
            if len(batch) < MOST_FILES and all(source.goes_with(other) for other in batch):
                batch.append(source)
                break
        else:
            batches.append([source])
    return batches


def write_batch(folder: Path, number: int, batch: list[Source]) -> dict[str, object]:
    file = folder / f"batch_{number}.cpp"
    file.write_text(
        "".join(f'#include "{one.path}"  // NOLINT(bugprone-suspicious-include)\n' for one in batch)
    )
    # A name in one file may shadow one of another; the build warns of what matters.
    arguments = ["clang++", *batch[0].flags, "-Wno-shadow", "-c", str(file)]
    return {"directory": batch[0].directory, "file": str(file), "arguments": arguments}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path, help="compile_commands.json of a build by clang")
    parser.add_argument("folder", type=Path, help="gets the batches and their own database")
    parser.add_argument("sources", type=Path, nargs="+")
    arguments = parser.parse_args()
    wanted = {path.resolve() for path in arguments.sources}
    sources = list(read_sources(arguments.database, wanted))
    left_out = wanted - {source.path for source in sources}
    if left_out:
        parser.error(f"{arguments.database} does not compile {min(left_out)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for old in arguments.folder.glob("batch_*.cpp"):
        old.unlink()
    entries = [
        write_batch(arguments.folder, number, batch)
        for number, batch in enumerate(make_batches(sources))
    ]
    (arguments.folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    for entry in entries:
        print(entry["file"])


if __name__ == "__main__":
    main()
