"""Changes to valid inputs that keep most of their structure, drawn from a seeded generator."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
import re
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Mutation = Callable[[random.Random, bytes], bytes]

#: What a field may hold that a reader does not expect: numbers at the edges of types, other
#: spellings of nothing, times that do not exist, texts that mean something to a later reader.
HOSTILE = [
    "", " ", "0", "-0", "-1", "1", "2", "0.5", "-0.5", "1e-320", "1e308", "1e309", "-1e308",
    "1e18", "nan", "-nan", "inf", "-inf", "never", "NULL", "null", "None", "true", "~", "0x10",
    "1_000", "1,5", "1.2.3", "2147483647", "2147483648", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "67108864", "67108865",
    "100000", "864000000", "9999-12-31T23:59:59Z", "0001-01-01", "2024-02-30",
    "2024-01-01T00:00:00+99:99", "1970-01-01T00:00:00Z", "a,b", 'a"b', "a;b", "a'b", "#", "-",
    "--", "../x", "/dev/null", "${HOME}", "*", "{}", "[]", "\xe9", "\u202e", "\x1b[31m",
    "x" * 300, "9" * 40, "\x00", "\t", "spot", "vm", "economy", "all", "none", "on", "off",
    "python:x.Y", "azure2020",
]  # fmt: skip
HOSTILE_JSON: list[Any] = [
    None, True, False, 0, -1, 0.5, 1e308, 2**63, -(2**63), 2**64, 10**40, "", "x", "-1", "nan",
    "\x00", [], {}, [[]], {"": None}, [None] * 3, "9999-12-31T23:59:59Z", "1e999", "100000Ei",
    "-5m",
]  # fmt: skip


def any_of(*mutations: Mutation) -> Mutation:
    """One of the mutations."""
    return lambda rng, data: rng.choice(mutations)(rng, data)


def some_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, insert, remove, repeat or cut bytes, wherever they are."""
    at = rng.randrange(len(data) + 1)
    upto = min(len(data), at + rng.choice([1, 1, 2, 8, 100]))
    kind = rng.randrange(6)
    if kind == 0 and at < len(data):
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if kind == 1:
        return (
            data[:at]
            + rng.choice([b"\0", b"\xff", b"\n", b'"', b",", b"\r", b"\xef\xbb\xbf"])
            + data[at:]
        )
    if kind == 2:
        return data[:at] + data[upto:]
    if kind == 3:
        return data[:upto] + data[at:upto] * rng.choice([1, 2, 50]) + data[upto:]
    if kind == 4:
        return data[:at]
    return data[:at] + rng.randbytes(upto - at) + data[upto:]


def _changed_number(rng: random.Random, text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return rng.choice(HOSTILE)
    return repr(
        rng.choice([-number, number * 10, number * 1e6, number / 1e6, number + 1, number - 1])
    )


def _changed_field(rng: random.Random, text: str) -> str:
    if rng.random() < 0.3:
        return _changed_number(rng, text)
    return rng.choice(
        [rng.choice(HOSTILE), text + text, text[: len(text) // 2], f" {text} ", f'"{text}"']
    )


def table(separator: str = ",") -> Mutation:
    """Change fields, rows and columns of a table of texts."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        rows = [line.split(separator) for line in text.split("\n")]
        row = rng.randrange(len(rows))
        column = rng.randrange(len(rows[row]))
        kind = rng.randrange(12)
        if kind < 5:
            rows[row][column] = _changed_field(rng, rows[row][column])
        elif kind == 5:
            rows.insert(rng.randrange(len(rows) + 1), list(rows[row]))
        elif kind == 6:
            del rows[row]
        elif kind == 7:
            other = rng.randrange(len(rows))
            rows[row], rows[other] = rows[other], rows[row]
        elif kind == 8:
            value = rng.choice(HOSTILE)
            for other_row in rows[1:]:
                if column < len(other_row):
                    other_row[column] = value
        elif kind == 9:
            rows = [r[:column] + r[column + 1 :] for r in rows]
        elif kind == 10:
            rows[row].insert(column, rng.choice(HOSTILE))
        else:
            ends = rng.choice(["\r\n", "\n\n", "\r", "\n# \n"])
            return ends.join(separator.join(r) for r in rows).encode("utf-8", "surrogateescape")
        return "\n".join(separator.join(r) for r in rows).encode("utf-8", "surrogateescape")

    return mutate


def _places(value: Any, found: list[tuple[Any, Any]]) -> None:
    keys = (
        value.keys()
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    )
    for key in keys:
        found.append((value, key))
        _places(value[key], found)


def json_values(rng: random.Random, data: bytes) -> bytes:
    """Change, drop, repeat or move a value of a JSON document."""
    document = [json.loads(data)]
    found: list[tuple[Any, Any]] = []
    _places(document, found)
    holder, key = rng.choice(found)
    other, place = rng.choice(found)
    kind = rng.randrange(8)
    if kind < 3:
        holder[key] = rng.choice(HOSTILE_JSON)
    elif kind == 3:
        del holder[key]
    elif kind == 4:
        holder[key] = [holder[key]] * rng.choice([1, 2, 30])
    elif kind == 5:
        holder[key] = json.loads(json.dumps(other[place]))
    elif kind == 6 and isinstance(holder, dict):
        holder[rng.choice([str(key).upper(), "", f"{key} ", "x"])] = holder.pop(key)
    else:
        deep = json.dumps(holder[key])
        for _ in range(rng.choice([1, 70, 2000])):
            deep = f"[{deep}]"
        holder[key] = "@deep@"
        return json.dumps((document or [None])[0]).replace('"@deep@"', deep).encode()
    return json.dumps((document or [None])[0]).encode()


def json_lines(rng: random.Random, data: bytes) -> bytes:
    """Change one of several lines of JSON."""
    lines = data.rstrip(b"\n").split(b"\n")
    line = rng.randrange(len(lines))
    lines[line] = json_values(rng, lines[line])
    return b"\n".join(lines) + b"\n"


_TOKEN = re.compile(r"[A-Za-z_][\w.+-]*|-?\d+(?:\.\d+)?(?:e-?\d+)?")
#: Keys and values of all study files: what stands in one file means something else in another.
_WORDS: list[str] = []


def know_words_of(texts: list[str]) -> None:
    """Take the words of these study files for changes of others."""
    _WORDS[:] = sorted({word for text in texts for word in _TOKEN.findall(text)})


def yaml_text(rng: random.Random, data: bytes) -> bytes:
    """Change words and lines of a YAML file."""
    text = data.decode()
    tokens = list(_TOKEN.finditer(text))
    lines = text.splitlines()
    kind = rng.randrange(10)
    if kind < 6 and tokens:
        token = rng.choice(tokens)
        value = rng.choice(
            [
                rng.choice(HOSTILE),
                rng.choice(_WORDS),
                _changed_number(rng, token[0]),
                f"[{token[0]}, 1]",
                f"{{{token[0]}: 1}}",
                f"[{token[0]}, {token[0]}]",
                "&a " + token[0],
                "*a",
                f"'{token[0]}'",
            ]
        )
        text = text[: token.start()] + value + text[token.end() :]
    elif kind == 6 and lines:
        del lines[rng.randrange(len(lines))]
        text = "\n".join(lines) + "\n"
    elif kind == 7 and lines:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
        text = "\n".join(lines) + "\n"
    elif kind == 8:
        text += f"{rng.choice(_WORDS)}: {rng.choice([*_WORDS, *HOSTILE])}\n"
    else:
        return some_bytes(rng, data)
    return text.encode("utf-8", "surrogateescape")


def database(rng: random.Random, data: bytes) -> bytes:
    """Change cells, rows, tables and views of an SQLite file."""
    values = [
        None,
        -1,
        0,
        2**62,
        1e308,
        float("inf"),
        "",
        "x",
        b"\0\xff",
        "{}",
        "[]",
        *HOSTILE[:30],
    ]
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        path = Path(file.name)
        path.write_bytes(data)
        connection = sqlite3.connect(path, isolation_level=None)
        names = "SELECT name FROM sqlite_master WHERE type = ? ORDER BY name"
        tables = [name for (name,) in connection.execute(names, ("table",))]
        views = [name for (name,) in connection.execute(names, ("view",))]
        name = rng.choice(tables)
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
        column = rng.choice(columns)
        count = connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        where = (
            f'WHERE rowid IN (SELECT rowid FROM "{name}" LIMIT 1 OFFSET {rng.randrange(count + 1)})'
        )
        value = rng.choice(values)
        changes: list[tuple[str, tuple[Any, ...]]] = [
            (f'UPDATE "{name}" SET "{column}" = ? {where}', (value,)),
            (f'UPDATE "{name}" SET "{column}" = ? {where}', (value,)),
            (f'UPDATE "{name}" SET "{column}" = ?', (value,)),
            (f'UPDATE "{name}" SET "{column}" = "{rng.choice(columns)}"', ()),
            (f'DELETE FROM "{name}" {where}', ()),
            (f'DELETE FROM "{name}"', ()),
            (f'DROP TABLE "{name}"', ()),
            (f'ALTER TABLE "{name}" RENAME COLUMN "{column}" TO "x{column}"', ()),
            (f'ALTER TABLE "{name}" DROP COLUMN "{column}"', ()),
            (f"DROP VIEW {rng.choice(views or ['none'])}", ()),
            (f"PRAGMA user_version = {rng.choice([0, 1, 2**31 - 1])}", ()),
            (f'INSERT INTO "{name}" SELECT * FROM "{name}"', ()),
        ]
        # A change that the tables do not allow leaves the file as it is.
        with contextlib.suppress(sqlite3.Error):
            connection.execute(*rng.choice(changes))
        connection.close()
        return path.read_bytes()


def packed(inner: Mutation) -> Mutation:
    """Change what a gzip file holds; sometimes the file itself."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.3:
            return some_bytes(rng, data)
        return gzip.compress(inner(rng, gzip.decompress(data)), mtime=0)

    return mutate


#: By the end of a file's name, as inputs.py gives it.
BY_SUFFIX: dict[str, Mutation] = {
    ".csv": any_of(table(), table(), table(), some_bytes),
    ".csv.gz": packed(table()),
    ".swf": any_of(table(" "), table(" "), some_bytes),
    ".txt": any_of(table(" "), table(" "), some_bytes),
    ".json": any_of(json_values, json_values, json_values, some_bytes),
    ".jsonl": any_of(json_lines, json_lines, some_bytes),
    ".yaml": yaml_text,
    ".db": any_of(database, database, database, some_bytes),
    ".arg": any_of(table(" "), yaml_text, some_bytes),
}


def mutation_of(name: str) -> Mutation:
    """The mutations of a kind of file."""
    return max(
        (one for one in BY_SUFFIX.items() if name.endswith(one[0])), key=lambda one: len(one[0])
    )[1]
