"""Names what is wrong in configuration files, where oslo.config says nothing or says it obscurely.

oslo.config ignores a key or section that nobody reads, so a misspelt switch would not be set and
nobody would know.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from oslo_config import cfg

#: The likeness of two names of which one is the other misspelt.
_ALIKE: Final = 0.8
_SECRET_KEY: Final = re.compile(r"password|secret")
_SECRET_URL: Final = re.compile(r"://[^/:@\s]*:[^/@\s]+@")
#: oslo.config's texts and Python's, and what they mean.
_PLAIN: Final = (
    (r"Value for option (\S+) from LocationInfo\(.*?detail='(.*?)'\) is not valid: ", r"\2: \1: "),
    (r"invalid literal for int\(\) with base 10: ", "expected a whole number, found "),
    (r"could not convert string to float: ", "expected a number, found "),
    (r"Unexpected boolean value ", "expected true or false, found "),
    (r"^Failed to parse (\S+): at (?=\1:)", ""),
    (r" \(\['Traceback .*", ""),
    (r"\s*\n\s*", " "),
)


class OptionError(cfg.Error, ValueError):  # type: ignore[misc]  # oslo.config is not typed
    """The text says which options cannot be used, and why."""


def plain(error: BaseException) -> str:
    """Return the text of an error of oslo.config, or of importing a class, in one plain line."""
    text = str(error)
    for pattern, words in _PLAIN:
        text = re.sub(pattern, words, text, flags=re.DOTALL)
    return text


def read_values(conf: Any, group: str, options: Iterable[Any]) -> dict[str, Any]:
    """Return the values of a group's options, by name.

    Raises:
        OptionError: a value is not what its type takes, or refers to an option that does not exist.
    """
    values = {}
    for option in options:
        try:
            values[option.dest] = getattr(conf, group)[option.dest]
        except (cfg.Error, ValueError) as error:
            where, name, why = plain(error).rpartition(f": {option.dest}: ")
            place = f"{where}: " * bool(name)
            raise OptionError(f"{place}[{group}] {option.dest}: {why}") from error
    return values


def explain(
    error: UnicodeDecodeError, arguments: Sequence[str], *, project: str, program: str
) -> str:
    """Return one line that names the file that is not text, and the place.

    Args:
        error: The error raised by oslo.config.
        arguments: The command line passed to it.
        project: As passed to it.
        program: As passed to it.
    """
    parser = argparse.ArgumentParser(add_help=False)
    for option in ("--config-file", "--config-dir"):
        parser.add_argument(option, action="append")
    given, _ = parser.parse_known_args(list(arguments))
    files = given.config_file or cfg.find_config_files(project, program)
    for path in _paths(files, given.config_dir or cfg.find_config_dirs(project, program)):
        try:
            path.read_bytes().decode(error.encoding)
        except UnicodeDecodeError as found:
            line = found.object.count(b"\n", 0, found.start) + 1
            expected = f"expected text in {found.encoding.upper()}"
            return (
                f"{path}: line {line}: {expected}, found the byte 0x{found.object[found.start]:02x}"
            )
        except OSError:
            continue
    return str(error)


def unread(conf: Any, groups: Mapping[str, Iterable[Any] | None], required: str = "") -> list[str]:
    """Return the keys and sections of a configuration's files that nobody reads.

    Args:
        conf: From oslo.config, after reading its files.
        groups: The options of the groups to look at; None if any key may be meant.
        required: The group that must be in one of the files, if there are any.
    """
    known = {
        group: {name for option in options for name in _names(option)} if options else None
        for group, options in groups.items()
    }
    faults, found, paths = [], set(), list(_paths_of(conf))
    for path in paths:
        for section, keys in _sections(path).items():
            group = section.lower()  # as oslo.config compares them
            found.add(group)
            names = known.get(group)
            if names is not None:
                faults += [
                    f"{path}: [{section}] {key}: no such option, {_expected(key, names)}"
                    for key in keys
                    if key.replace("-", "_") not in names
                ]
            elif group not in known and (near := _nearest(group, known)):
                faults.append(f"{path}: [{section}]: no such section, did you mean [{near}]?")
    if required and paths and not faults and required not in found:
        faults.append(f"{', '.join(map(str, paths))}: expected a section [{required}], found none")
    return faults


def relative_paths(group: str, values: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return the options that name a file, and not from the root: a service may run anywhere."""
    return [
        f"[{group}] {name}: found {values[name]}, expected an absolute path"
        for name in names
        if values[name] and not os.path.isabs(str(values[name]))
    ]


def readable_secrets(conf: Any) -> list[str]:
    """Return of each file with passwords that every user of the machine may read what to do."""
    found = []
    for path in _paths_of(conf):
        mode = stat.S_IMODE(path.stat().st_mode)
        secrets = [
            f"[{section}] {key}"
            for section, keys in _sections(path).items()
            for key, values in keys.items()
            if _SECRET_KEY.search(key) or any(map(_SECRET_URL.search, values))
        ]
        if mode & stat.S_IROTH and secrets:
            found.append(
                f"{path} has mode {mode:04o}, so every user of this machine may read"
                f" {', '.join(secrets)}; chmod 0640 {path}"
            )
    return found


def _names(option: Any) -> Iterator[str]:
    for each in (option, *option.deprecated_opts):
        if each.name:
            yield each.name.replace("-", "_")


def _expected(key: str, names: Iterable[str]) -> str:
    near = _nearest(key, names)
    return f"did you mean {near}?" if near else f"expected one of: {', '.join(sorted(names))}"


def _nearest(name: str, names: Iterable[str]) -> str:
    return next(iter(difflib.get_close_matches(name.replace("-", "_"), names, 1, _ALIKE)), "")


def _sections(path: Path) -> dict[str, dict[str, list[str]]]:
    sections: dict[str, dict[str, list[str]]] = {}
    cfg.ConfigParser(str(path), sections).parse()
    return sections


def _paths_of(conf: Any) -> Iterator[Path]:
    # A configuration that has read nothing lacks both.
    files, folders = (getattr(conf, each, None) or [] for each in ("config_file", "config_dir"))
    return _paths(files, folders)


def _paths(files: Iterable[str], folders: Iterable[str]) -> Iterator[Path]:
    """Yield the files that oslo.config reads, in its order."""
    for file in files:
        yield Path(file).expanduser()
    for folder in folders:
        yield from sorted(Path(folder).expanduser().glob("*.conf"))
