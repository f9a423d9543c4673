"""The mutants of a C++ file: places where one operator, bound or statement may be another.

All are built into one program, each asleep until it is chosen (mutant.hpp). So places are marked
within their lines, and every line keeps its number. A space on both sides tells an operator.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LEFT_OUT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<!\d)'(?:\\.|[^'\\\n])+'|^\s*\#(?:\\\n|[^\n])*""",
    re.S | re.M,
)
# The compiler works out constants, which no mutant of the running program changes.
_DECLARATION = re.compile(
    r"^\s*(?:(?:static |inline )*constexpr [^()]*[={]|template <|static_assert|using |enum |case "
    r"|friend |typedef )"
)
_OPERATORS = {
    "<": ("Less", "<", ">", "<="),
    ">": ("Greater", ">", "<", ">="),
    "<=": ("NotAbove", "<=", ">=", "<"),
    ">=": ("NotBelow", ">=", "<=", ">"),
    "==": ("Equal", "==", "==", "!="),
    "!=": ("Unequal", "!=", "!=", "=="),
    "+": ("Plus", "+", "+", "-"),
    "-": ("Minus", "-", "-", "+"),
    "*": ("Times", "*", "*", "/"),
    "/": ("Over", "/", "/", "*"),
    "%": ("Modulo", "%", "%", "/"),
    "+=": ("Add", "+=", "+=", "-="),
    "-=": ("Subtract", "-=", "-=", "+="),
}
_OPERATOR = re.compile(r"(?<=[\w)\]}] )(?:[<>]=?|[=!]=|[+\-*/%]|[+-]=)(?=\s)")
_LOGICAL = re.compile(r" (&&|\|\|)(?=\s)")
_EXTREME = re.compile(r"\bstd::(min|max)(?=[(<])")
_LITERAL = re.compile(r"(?<![\w.'])(\d[\d']*(?:\.\d+)?(?:e[+-]?\d+)?)([uUlLfF]*)(?![\w.'])")
_BARE_CONDITION = re.compile(r"\bif \((?=[^<>=&|;]*$|[^<>=&|;]*\) )")
_STATEMENT = re.compile(
    r"^ +(?=(?:[\w:.\[\]*()]|->)+(?:\(.*\)| [+-]?= .*);$|(?:\+\+|--).*;$)", re.M
)
_NO_STATEMENT = re.compile(r"^ +(?:\.|(?:return|throw|static|const|using|assert)\b)")


class Mutant(NamedTuple):
    """One change that can be chosen."""

    line: int
    change: str  # what becomes what
    text: str  # the line as it is


class _Edit(NamedTuple):
    start: int
    order: int  # of those that start at the same place
    end: int
    text: str  # in place of start..end; {} is the mutant's number


class _Place(NamedTuple):
    at: int
    change: str
    edits: list[_Edit]


def _blanked(source: str) -> str:
    return _LEFT_OUT.sub(
        lambda found: re.sub(r"[^\n]", "_" if found[0][0] in "\"'" else " ", found[0]), source
    )


def _operators(code: str) -> Iterator[_Place]:
    for found in _OPERATOR.finditer(code):
        mark, first, second, other = _OPERATORS[found[0]]
        text = f"{first}cospot_mutant::{mark}{{{{{{}}}}}}{second}"
        yield _Place(
            found.start(), f"{found[0]} to {other}", [_Edit(found.start(), 1, found.end(), text)]
        )


def _extremes(code: str) -> Iterator[_Place]:
    for found in _EXTREME.finditer(code):
        mark = "Least" if found[1] == "min" else "Most"
        edit = _Edit(found.start(), 1, found.end(), f"cospot_mutant::{mark}<{{}}>::of")
        yield _Place(
            found.start(), f"{found[1]} to {'max' if found[1] == 'min' else 'min'}", [edit]
        )


def _literals(code: str) -> Iterator[_Place]:
    for found in _LITERAL.finditer(code):
        edit = _Edit(found.end(), -2, found.end(), " + cospot_mutant::one({}))")
        opening = _Edit(found.start(), 1, found.start(), "(")
        yield _Place(found.start(), f"{found[0]} to {found[1]} + 1", [opening, edit])


def _end(code: str, at: int, step: int) -> int:
    """Return where an operand of && or || ends that begins at a place and is read by `step`."""
    opening, closing = ("([{", ")]}") if step > 0 else (")]}", "([{")
    depth = 0
    while 0 <= at < len(code):
        if code[at] in closing:
            if depth == 0:
                break
            depth -= 1
        elif code[at] in opening:
            depth += 1
        elif depth == 0:
            pair = code[at : at + 2] if step > 0 else code[at - 1 : at + 1]
            is_assigned = code[at] == "=" and not re.search(r"[<>=!]=|==", code[at - 1 : at + 2])
            is_colon = code[at] == ":" and ":" not in (code[at - 1], code[at + 1])
            if code[at] in ";,?" or pair in {"&&", "||"} or is_assigned or is_colon:
                break
            if step < 0 and re.search(r"\breturn$", code[at - 6 : at + 1]):
                break
        at += step
    return at


def _operands(code: str) -> Iterator[_Place]:
    seen = set()
    for found in _LOGICAL.finditer(code):
        is_and = found[1] == "&&"
        left = (_end(code, found.start(), -1) + 1, found.start())
        right = (found.end(), _end(code, found.end(), 1))
        for begin, stop in (left, right):
            text = code[begin:stop]
            start, end = stop - len(text.lstrip()), begin + len(text.rstrip())
            if (start, end, is_and) in seen or start >= end:
                continue
            seen.add((start, end, is_and))
            opening = "(cospot_mutant::on({}) || (" if is_and else "(!cospot_mutant::on({}) && ("
            operand = " ".join(code[start:end].split())
            edits = [_Edit(start, 0, start, opening), _Edit(end, -1, end, "))")]
            yield _Place(start, f"'{operand}' to {'true' if is_and else 'false'}", edits)


def _conditions(code: str) -> Iterator[_Place]:
    for found in _BARE_CONDITION.finditer(code):
        end = _end(code, found.end(), 1)
        if code[end] == ")" and "\n" not in code[found.end() : end]:
            edits = [
                _Edit(found.end(), 0, found.end(), "cospot_mutant::on({}) != bool("),
                _Edit(end, -1, end, ")"),
            ]
            yield _Place(found.start(), "the condition to its opposite", edits)


def _statements(code: str) -> Iterator[_Place]:
    for found in _STATEMENT.finditer(code):
        line = code[found.start() : code.index("\n", found.start())]
        before = code[: found.start()].rstrip()
        if not _NO_STATEMENT.match(line) and before[-1:] in set(";{}"):
            edit = _Edit(found.end(), 0, found.end(), "if (!cospot_mutant::on({})) ")
            yield _Place(found.end(), "the statement left out", [edit])


def mutate(source: str, first: int, left_out: set[tuple[int, str]]) -> tuple[str, list[Mutant]]:
    """Return a source with its mutants in it, from number `first` on, but for those left out."""
    code = _blanked(source)
    lines = source.split("\n")
    finders = (_operators, _extremes, _literals, _operands, _conditions, _statements)
    found = (place for find in finders for place in find(code))
    places = sorted(found, key=lambda place: place.at)
    edits: list[_Edit] = []
    mutants: list[Mutant] = []
    for place in places:
        number = code.count("\n", 0, place.at) + 1
        text = lines[number - 1]
        mutant = Mutant(number, place.change, text.strip())
        if _DECLARATION.match(text) or (number, place.change) in left_out:
            continue
        edits += [
            edit._replace(text=edit.text.format(first + len(mutants))) for edit in place.edits
        ]
        mutants.append(mutant)
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.order, edit.end), reverse=True):
        source = source[: edit.start] + edit.text + source[edit.end :]
    # As a system header it may narrow, and has no warnings.
    return (
        f'#pragma GCC system_header\n#include "tests/mutants/mutant.hpp"\n#line 1\n{source}',
        mutants,
    )
