#!/usr/bin/env python3
"""Writes the tables of columns in docs/results-format.md from what the program declares.

Each study's table stands between <!-- columns of STUDY --> and <!-- end -->, that of what runs keep
of each day between <!-- columns of timeline --> and <!-- end -->. With --check nothing
is written: the exit code is 1 when a table is not what the program declares.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results-format.md"


def table(columns):
    lines = ["| column | is | type | unit | meaning |", "|---|---|---|---|---|"]
    for column in columns:
        cells = (f"`{column['name']}`", column["role"], column["type"].replace("_", " "),
                 column["unit"], column["meaning"])
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def rewritten(text, studies):
    tables = [(study["name"], study["columns"]) for study in studies]
    # A study with an Economy class has all the columns that a timeline may have.
    longest = max((study.get("timeline", []) for study in studies), key=len)
    for name, columns in [*tables, ("timeline", longest)]:
        begin, end = f"<!-- columns of {name} -->\n", "\n<!-- end -->"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        if len(re.findall(pattern, text, flags=re.DOTALL)) != 1:
            sys.exit(f"{DOCUMENT}: expected one place '{begin.strip()}' ... '{end.strip()}'")
        made = begin + table(columns) + end
        text = re.sub(pattern, lambda _, made=made: made, text, flags=re.DOTALL)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cospot", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.cospot.resolve(), "list", "studies", "--json"], check=True,
                            capture_output=True, text=True).stdout
    old = DOCUMENT.read_text(encoding="utf-8")
    new = rewritten(old, json.loads(listed)["studies"])
    if arguments.check and new != old:
        sys.exit(f"{DOCUMENT}: its tables of columns are old; run {sys.argv[0]} --cospot PROGRAM")
    if not arguments.check:
        DOCUMENT.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
