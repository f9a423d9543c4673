"""What a C++ file defines, told from its text: by the format of the tree, not the language."""

import re
from typing import NamedTuple

_LEFT_OUT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|^\s*\#(?:\\\n|[^\n])*""",
    re.S | re.M,
)
_SEPARATOR = re.compile(r"(?<=\d)'(?=\d)")
_TOKEN = re.compile(r"\w+|::|\[\[|\]\]|[^\s\w]")
_MACRO = re.compile(r"[A-Z][A-Z_]+$")
_SPECIFIERS = {"static", "inline", "constexpr", "const", "extern", "thread_local"}
_TYPE_WORDS = {"struct", "class", "enum", "union"}
_TYPE_OR_CONSTANT = re.compile(r"k?[A-Z]")
_MAY_SHADOW = re.compile(r"using|(?:static |inline )*const")


class Names(NamedTuple):
    """The names of one file that another of its batch may run into."""

    #: In its unnamed namespaces, as `cospot::Name`, with what an alias stands for: that may be
    #: defined twice.
    unnamed: dict[str, str]
    #: Aliases and constants in its functions: they would shadow the above.
    local: set[str]
    #: Types and constants for others, as `cospot::Name`: with the above they would be ambiguous.
    shared: set[str]


def names_of(text: str) -> Names:
    """Return the names that a file defines."""
    tokens = _TOKEN.findall(_LEFT_OUT.sub(" ", _SEPARATOR.sub("", text)))
    names = Names({}, set(), set())
    scopes: list[str] = []  # of a namespace the start of its names; else a word
    start = 0
    for at, token in enumerate(tokens):
        if token not in {"{", "}", ";"}:
            continue
        statement = _without_template(tokens[start:at])
        start = at + 1
        inside = [scope for scope in scopes if not scope.endswith("::")]
        prefix = "".join(scope for scope in scopes if scope.endswith("::"))
        if inside == ["unnamed"]:
            names.unnamed.update(
                (prefix + name, alias) for name, alias in _defined(statement).items()
            )
        elif inside == ["unnamed", "enumerators"]:
            names.unnamed.update((prefix + word, "") for word in statement if word.startswith("k"))
        elif not inside:
            names.shared.update(
                prefix + name for name in _defined(statement) if _TYPE_OR_CONSTANT.match(name)
            )
        elif "body" in inside and _MAY_SHADOW.match(" ".join(statement)):
            names.local.update(filter(_TYPE_OR_CONSTANT.match, _defined(statement)))
        if token == "{":
            scopes.append(_scope(statement))
        elif token == "}" and scopes:
            scopes.pop()
    return names


def _without_template(statement: list[str]) -> list[str]:
    """Return a declaration without `template <...>` and attributes."""
    while statement[:1] == ["template"]:
        depth = end = 1
        while depth > 0 and end + 1 < len(statement):
            end += 1
            depth += {"<": 1, ">": -1}.get(statement[end], 0)
        statement = statement[end + 1 :]
    while statement[:1] == ["[["]:
        statement = statement[statement.index("]]") + 1 :]
    return statement


def _scope(statement: list[str]) -> str:
    """Return what a brace after this opens."""
    if statement[:1] == ["namespace"]:
        return "".join([*statement[1:], "::"]) if len(statement) > 1 else "unnamed"
    if "(" in statement or "]" in statement:
        return "body"
    if statement[:1] == ["enum"] and statement[1] != "class":
        return "enumerators"
    return "type" if set(statement) & _TYPE_WORDS else "other"


def _defined(statement: list[str]) -> dict[str, str]:
    """Return the name that a declaration, up to its brace or semicolon, defines, if any."""
    words = [word for word in statement if word not in _SPECIFIERS]
    if not words or words[0] in {"namespace", "return", "friend"} or "operator" in words:
        return {}
    if words[0] == "using":
        return {words[1]: " ".join(words[3:])} if "=" in words else {}
    if words[0] in _TYPE_WORDS:
        return {next(word for word in words if word not in _TYPE_WORDS): ""}
    end = next((at for at, word in enumerate(words) if word in {"=", "(", "["}), len(words))
    name = words[end - 1]
    is_new = end >= 2 and re.match(r"[A-Za-z_]", name) and words[end - 2] != "::"
    return {name: ""} if is_new and not _MACRO.match(name) else {}
