"""One page of what the papers published, what came out here, and whether it holds.

It reads docs/evidence/papers.json and, for each paper, docs/evidence/<folder>.json: the
findings.json that the paper's run wrote. It judges every finding again by its kind and numbers.
Python's standard library is all it needs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduction.finding import KEYS
from reproduction.judging import FLAGS, JUDGED, TOLERANCE, ClaimError, verdict

_DOCS = Path(__file__).resolve().parents[2] / "docs"
_PAPER_KEYS = ("folder", "title", "reference", "page", "command", "data", "notes", "commit")
#: The first words of verdicts, in the order of the columns of the summary.
_WORDS = ("holds", "holds on another reading", "better", "differs", *FLAGS)
Findings = Sequence[dict[str, Any]]
#: Around the headlines in README.md.
_BEGIN = "<!-- begin of what examples/papers/evidence.py writes; edits are lost -->\n"
_END = "<!-- end of what examples/papers/evidence.py writes -->\n"

_INTRODUCTION = """\
# What holds of the papers

<!-- made by `python3 examples/papers/evidence.py`; edits are lost -->

## Published beside ours

"""

_KINDS = f"""\
Our strongest findings are in no paper: CoSpot's gain of 26 % falls to 1 to 2 % if evicted spots
come back within a day, and on Azure's samples moving evicted spots with their work yields 70 % of
the work that customers ask for, where cooperation yields 59 % ([life.md](life.md)).

## All findings

The page lists every table, figure and numbered finding of the papers. The column *claim* has what
the paper's sentence says and the kind of claim that follows from it. A *value* holds within
{100 * TOLERANCE:.0f} % of the published number; *value or less* and *value or more* are *better*
beyond that. *At most*, *at least*, *range*, *direction* and *ordering* have no tolerance. Of
several series *every*, *nearly all* (nine tenths), *most* (more than half) or *some* must show it.
One function judges all papers (`examples/papers/reproduction/judging.py`). An *erratum of the
paper* contradicts itself; a *definition* is true by construction and not counted as published.

The findings are in [evidence/](evidence), one file per paper, written by that paper's command.
`python3 examples/papers/evidence.py` generates this page and the
headlines of the README; with `--check` it judges every finding
again, and reports a verdict that does not follow and where page and findings differ.

"""


class EvidenceError(Exception):
    """Findings that cannot be used; the text names file and line."""


@dataclass(frozen=True)
class Paper:
    """The command of a paper's run, and its findings.

    Attributes:
        folder: In examples/papers; the name of its file of findings.
        title: Of the paper.
        reference: Authors, where it was published.
        page: In docs/, which tells more; may be empty.
        command: What made the findings.
        data: What they were measured on.
        notes: What to know of the findings; may be empty.
        commit: Of the program that ran.
        findings: None where no run was stored.
    """

    folder: str
    title: str
    reference: str
    page: str
    command: str
    data: str
    notes: str
    commit: str
    findings: Findings | None

    def count(self, word: str) -> int:
        """Return the number of findings with a verdict; of all but definitions with ``""``."""
        words = [one["verdict"].partition(":")[0] for one in self.findings or ()]
        return words.count(word) if word else len(words) - words.count("definition")


def read_papers(docs: Path) -> list[Paper]:
    """Read all papers, those of papers.json first and in its order.

    Raises:
        EvidenceError: Something is missing, a verdict has no reason, or a run has no commit.
    """
    folder = docs / "evidence"
    known = _read_lines(folder / "papers.json", _PAPER_KEYS)
    names = [paper["folder"] for _, paper in known]
    others = sorted({path.stem for path in folder.glob("*.json")} - {*names, "papers"})
    if others:
        raise EvidenceError(
            f"{folder / (others[0] + '.json')}: papers.json has no line for the folder {others[0]}"
        )
    papers = []
    for line, paper in known:
        path = folder / f"{paper['folder']}.json"
        findings = _read_findings(path) if path.exists() else None
        if findings is not None and not re.fullmatch("[0-9a-f]{7,40}", paper["commit"]):
            raise EvidenceError(
                f"{folder / 'papers.json'}:{line}: {paper['folder']} has findings; expected the "
                f"commit of the program that made them, found '{paper['commit']}'"
            )
        papers.append(Paper(**paper, findings=findings))
    return papers


def _read_findings(path: Path) -> Findings:
    """Read findings; those that no paper published a counterpart of are left out."""
    published = []
    for line, finding in _read_lines(path, KEYS):
        if not finding["published"] and finding["verdict"] is None:
            continue
        if fault := _fault(finding):
            raise EvidenceError(f"{path}:{line}: '{finding['what']}' {fault}")
        published.append(finding)
    return published


def _fault(finding: Mapping[str, Any]) -> str:
    """Return what is wrong with a finding; nothing if its verdict follows from its numbers."""
    for key in ("data", "claim"):
        if not finding[key]:
            return f"has no {key}"
    if not finding["kind"] and not finding["flag"]:
        return "has neither kind nor flag"
    try:
        follows = verdict(**{key: finding[key] for key in JUDGED})
    except (ClaimError, TypeError, ValueError) as error:
        return f"cannot be judged: {error}"
    if not finding["because"] and (finding["flag"] or follows.startswith("differs")):
        return "gives no reason"
    if finding["verdict"] != follows:
        return f"has the verdict {finding['verdict']!r}; its kind and numbers give {follows!r}"
    return ""


def _read_lines(path: Path, keys: Sequence[str]) -> list[tuple[int, dict[str, Any]]]:
    """Read a JSON list with one object on each line, and return the objects with their lines."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise EvidenceError(f"{path}: {error.strerror}") from error
    if len(lines) < 3 or (lines[0], lines[-1]) != ("[", "]"):
        raise EvidenceError(f"{path}: expected a list of objects, one on each line")
    objects = []
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            found = json.loads(line.removesuffix(",") if number < len(lines) - 1 else line)
        except ValueError as error:
            raise EvidenceError(f"{path}:{number}: expected one object: {error}") from error
        if not isinstance(found, dict) or list(found) != list(keys):
            raise EvidenceError(f"{path}:{number}: expected an object of {', '.join(keys)}")
        objects.append((number, found))
    return objects


def page(papers: Sequence[Paper]) -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION + headlines(papers)]
    parts.append(_KINDS + _table(_summary(papers), numbers=1 + len(_WORDS)))
    for paper in papers:
        parts += _section(paper)
    return "\n".join(parts)


def headlines(papers: Sequence[Paper], page: str = "") -> str:
    """Return the table of headlines; `page`: where the papers' sections are."""
    return _table(_headlines(papers, page))


def _headlines(papers: Sequence[Paper], page: str) -> Iterator[Sequence[str]]:
    yield "paper", "headline", "published", "here", "verdict"
    for paper in papers:
        name = f"[{re.split('[,;]', paper.reference)[0]}]({page}#{_anchor(paper.title)})"
        for one in paper.findings or ():
            if one["headline"]:
                short = one["verdict"].partition(":")[0]
                yield name, one["headline"], one["published"], one["ours"], short


def _summary(papers: Sequence[Paper]) -> Iterator[Sequence[str]]:
    yield "paper", "published", *_WORDS
    words = ("", *_WORDS)
    for paper in papers:
        name = f"[{paper.title}](#{_anchor(paper.title)})"
        if paper.findings is None:
            yield name, "no run stored", *([""] * len(_WORDS))
        else:
            yield name, *(str(paper.count(word)) for word in words)
    yield "all", *(str(sum(paper.count(word) for paper in papers)) for word in words)


def _section(paper: Paper) -> Iterator[str]:
    yield f"## {paper.title}\n"
    more = f" More: [{paper.page}]({paper.page})." if paper.page else ""
    told = f" {paper.notes}." if paper.notes else ""
    made = f"Made at commit {paper.commit} by `{paper.command}`."
    if paper.findings is None:
        made = "No run of it is stored."
    yield f"{paper.reference}. Data: {paper.data}.{told} {made}{more}\n"
    if paper.findings is None:
        return
    data = list(dict.fromkeys(one["data"] for one in paper.findings))
    rows = []
    for one in paper.findings:
        letter = _letter(data.index(one["data"]))
        parts = one["source"], one["what"], _claim(one), one["published"], _ours(one)
        rows.append((*parts, letter, one["verdict"]))
    yield _table([("where", "what", "claim", "published", "here", "data", "verdict"), *rows])
    yield "\n".join(f"- {_letter(place)}: {text}" for place, text in enumerate(data)) + "\n"


def _claim(finding: Mapping[str, Any]) -> str:
    """Return what the paper's sentence says, and the kind of its claim."""
    kind = finding["kind"]
    if kind and isinstance(finding["measured"], dict):
        kind += f", {finding['series']}"
    return f"{finding['claim']} (*{kind}*)" if kind else str(finding["claim"])


def _ours(finding: Mapping[str, Any]) -> str:
    """Return what came out here, on other readings too."""
    readings = (f"{name}: {_numbers(value)}" for name, value in finding["readings"].items())
    return "; ".join([*([finding["ours"]] if finding["ours"] else []), *readings])


def _numbers(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_numbers(one)}" for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_numbers, value))
    return "none" if value is None else f"{value:.4g}"


def _letter(place: int) -> str:
    return chr(ord("a") + place) if place < 26 else f"a{place - 25}"


def _anchor(title: str) -> str:
    """Return what GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _table(rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    header, *rest = rows
    rule = "|" + "---|" * (len(header) - numbers) + "---:|" * numbers
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in (header, *rest)]
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_headlines(readme: str, table: str) -> str:
    """Return the text of a README with the table between its two marks, if it has them."""
    before, begin, rest = readme.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return f"{before}{begin}\n{table}\n{end}{after}" if end else readme


def differences(path: Path, expected: str) -> list[str]:
    """Return the first line in which a file is not what it should be, as a complaint."""
    found = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    wanted = expected.splitlines()
    for number in range(max(len(found), len(wanted))):
        old = found[number] if number < len(found) else "no such line"
        new = wanted[number] if number < len(wanted) else "no such line"
        if old != new:
            return [f"{path}:{number + 1}: found    {old}\n{path}:{number + 1}: expected {new}"]
    return []


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page or check it; return the exit code: 0, 1 for differences, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="evidence.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    parser.add_argument("--docs", type=Path, default=_DOCS, help="the folder docs/")
    options = parser.parse_args(arguments)
    try:
        papers = read_papers(options.docs)
    except EvidenceError as error:
        print(f"evidence.py: {error}", file=sys.stderr)
        return 2
    texts = {options.docs / "evidence.md": page(papers)}
    readme = options.docs.parent / "README.md"
    if readme.exists():
        table = headlines(papers, "docs/evidence.md")
        texts[readme] = with_headlines(readme.read_text(encoding="utf-8"), table)
    if not options.check:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    complaints = [told for path, text in texts.items() for told in differences(path, text)]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
