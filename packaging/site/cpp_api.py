"""The pages of the C++ API: what Doxygen finds in the headers, a page for each folder."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_TITLES = {
    "core": "Numbers, errors, random draws",
    "core/model": "Hosts, requests, instances",
    "core/policy": "What a policy is",
    "core/ranking": "Chains and rankings",
    "core/handshake": "Offers and choices",
    "core/provider": "A datacenter",
    "filters": "Filters",
    "weighers": "Weighers",
    "evictors": "Evictors",
    "evictors/search": "The search for victims",
    "guarantees": "Lifetime models",
    "guarantees/sla": "Promised lifetimes",
    "guarantees/economy": "The Economy class",
    "guarantees/pricing": "Classes and prices",
    "guarantees/signals": "Signals to customers",
}
_SHOWN = ("public-func", "public-static-func", "public-attrib", "public-static-attrib")
Element = ElementTree.Element


@dataclass
class Entry:
    """A class, an enumeration or a function, as it stands on a page."""

    file: str
    line: int
    name: str
    text: str


def _escaped(text: str | None) -> str:
    return re.sub(r"([*\[])", r"\\\1", text or "").replace("<", "&lt;")


def _inline(node: Element) -> str:
    """Return the text within a node as Markdown."""
    parts = [_escaped(node.text)]
    for child in node:
        plain = "".join(child.itertext())
        if child.tag == "computeroutput":
            parts.append(f"`{plain}`")
        elif child.tag == "ulink":
            parts.append(f"[{_escaped(plain)}]({child.get('url')})")
        elif child.tag in ("emphasis", "bold"):
            parts.append(f"*{_inline(child)}*")
        elif child.tag in ("itemizedlist", "orderedlist"):
            parts.append("\n\n" + "\n".join(f"- {_paragraphs(item)}" for item in child) + "\n\n")
        elif child.tag in ("verbatim", "preformatted", "programlisting"):
            lines = (plain if plain.strip() else "").strip("\n").split("\n")
            parts.append("\n\n" + "\n".join(f"    {line}" for line in lines) + "\n\n")
        elif child.tag == "simplesect":
            parts.append(f" {(child.get('kind') or '').capitalize()}: {_paragraphs(child)}")
        else:
            parts.append(_inline(child))
        parts.append(_escaped(child.tail))
    return "".join(parts)


def _paragraphs(node: Element | None) -> str:
    if node is None:
        return ""
    found = [re.sub(r"[ \t]+", " ", _inline(para)).strip() for para in node.iter("para")]
    return "\n\n".join(text for text in found if text)


def _description(node: Element) -> str:
    texts = [_paragraphs(node.find(f"{kind}description")) for kind in ("brief", "detailed")]
    return "\n\n".join(text for text in texts if text)


def _code(text: str) -> str:
    """Return a type or an argument list as people write it."""
    text = re.sub(r"< (.*?) >", lambda found: f"<{found[1]}>", text)
    return re.sub(r"\s+", " ", text.replace("< ", "<").replace(" >", ">")).strip()


def _signature(member: Element) -> str:
    def part(tag: str) -> str:
        node = member.find(tag)
        return "" if node is None else "".join(node.itertext())

    attributes = re.compile(r"\[\[\w+\]\] ")
    words = [part("type"), part("name") + part("argsstring")]
    if member.get("kind") == "variable":
        words.append(part("initializer"))
    static = "static " if member.get("static") == "yes" else ""
    virtual = "virtual " if member.get("virt") != "non-virtual" and member.get("virt") else ""
    return static + virtual + attributes.sub("", _code(" ".join(word for word in words if word)))


def _listed(members: list[Element]) -> str:
    """Return members with what is said of them, as a list of definitions."""
    lines = []
    for member in members:
        lines.append(f"`{_signature(member)}`")
        said = _description(member) or "&nbsp;"
        lines += [":   " + said.replace("\n", "\n    "), ""]
    return "\n".join(lines)


def _place(node: Element) -> tuple[str, int]:
    location = node.find("location")
    if location is None:
        return "", 0
    return location.get("file") or "", int(location.get("line") or 0)


def _class(node: Element) -> Entry | None:
    """Return a class or struct that is documented; what has no comment is a detail."""
    said, (file, line) = _description(node), _place(node)
    name = (node.findtext("compoundname") or "").removeprefix("cospot::")
    if not said or "<" in name or "anonymous" in name or node.get("prot") != "public":
        return None
    members = [
        member
        for section in node.findall("sectiondef")
        if section.get("kind") in _SHOWN
        for member in section.findall("memberdef")
        if not re.match(r"~|operator=$", member.findtext("name") or "")
    ]
    members.sort(key=lambda member: _place(member)[1])
    bases = [_code("".join(base.itertext())) for base in node.findall("basecompoundref")]
    under = f"\n\nDerives from {', '.join(f'`{base}`' for base in bases)}." if bases else ""
    return Entry(file, line, name, f"{said}{under}\n\n{_listed(members)}")


def _enumeration(node: Element) -> Entry | None:
    said, (file, line) = _description(node), _place(node)
    if not said:
        return None
    values = [
        f"`{value.findtext('name')}`\n:   {_description(value) or '&nbsp;'}\n"
        for value in node.findall("enumvalue")
    ]
    return Entry(file, line, node.findtext("name") or "", said + "\n\n" + "\n".join(values))


def _free_members(node: Element) -> list[Entry]:
    found = []
    for member in node.iter("memberdef"):
        said, (file, line) = _description(member), _place(member)
        entry: Entry | None = None
        if member.get("kind") == "enum":
            entry = _enumeration(member)
        elif member.get("kind") == "function" and said:
            text = f"```cpp\n{_signature(member)};\n```\n\n{said}\n"
            entry = Entry(file, line, f"{member.findtext('name')}()", text)
        if entry is not None:
            found.append(entry)
    return found


def _entries(folder: Path) -> list[Entry]:
    found = []
    for path in sorted(folder.glob("*.xml")):
        for node in ElementTree.parse(path).getroot().findall("compounddef"):
            if node.get("kind") in ("class", "struct"):
                entry = _class(node)
                found += [entry] if entry is not None else []
            elif node.get("kind") == "namespace":
                found += _free_members(node)
    return sorted(found, key=lambda entry: (entry.file, entry.line))


def write_pages(root: Path, scratch: Path, folder: Path) -> None:
    """Run Doxygen over the headers, and write a page for each of their folders.

    Args:
        root: The repository.
        scratch: Where Doxygen may write.
        folder: Of the pages.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    settings = (root / "packaging" / "site" / "Doxyfile").read_text()
    command = f"{settings}\nOUTPUT_DIRECTORY = {scratch}\n"
    subprocess.run(["doxygen", "-"], input=command, text=True, cwd=root, check=True)
    by_folder: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in _entries(scratch / "xml"):
        by_folder[str(Path(entry.file).parent)][entry.file].append(entry)
    unknown = by_folder.keys() - _TITLES
    if unknown:
        raise ValueError(f"a folder of headers without a title: {sorted(unknown)}")
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# C++ API", "", "The headers that a policy or another program includes.", ""]
    for name, title in _TITLES.items():
        if name not in by_folder:
            continue
        page = f"{name.replace('/', '-')}.md"
        lines.append(f"- [{title}]({page}): `{name}/`")
        parts = [f"# {title}"]
        for file, entries in by_folder[name].items():
            parts.append(f"## `{file}`")
            parts += [f"### `{entry.name}`\n\n{entry.text}" for entry in entries]
        (folder / page).write_text("\n\n".join(parts) + "\n")
    (folder / "README.md").write_text("\n".join(lines) + "\n")
