"""The one way to write a file, as the program has it (sim_harness/base/files/stored_file.hpp)."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
from pathlib import Path
from typing import Final

from cospot.errors import ConfigError

_MOST_LINKS: Final = 40
_MOST_OF_NAME: Final = 200  # bytes, so that the name of a partial file is not too long for a folder

#: The files whose leftovers this process has looked for.
_cleaned: set[Path] = set()


def write_file(path: Path, data: bytes) -> None:
    """Write a file as replace_file() does, readable by all, where a user has asked for it.

    Args:
        path: Of the file; a link is followed, except another user's.
        data: The new contents.

    Raises:
        ConfigError: It cannot be written, or exists and is not a file (a device would be replaced).
    """
    try:
        if path.exists() and not path.is_file():
            found = "a folder" if path.is_dir() else "a device or the like"
            raise ConfigError(f"{path}: expected a file, found {found}")
        # nova-compute, say, is another user.
        replace_file(_end_of_links(path), data, mode=0o644, exactly=True)
    except FileNotFoundError as error:
        folder = path.resolve().parent
        raise ConfigError(f"{path}: cannot be written: there is no folder {folder}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror or error}") from error


def replace_file(
    path: Path, data: bytes, *, mode: int = 0o666, exactly: bool = False, durable: bool = False
) -> None:
    """Write a file atomically: readers see either the old contents or all of the new.

    The bytes go to a new file next to it, ``NAME.0123456789abcdef.partial`` with random digits, so
    that nobody else who may write to the folder can lead them elsewhere. What a killed process left
    is removed by the next one that writes the same file.

    Args:
        path: Of the file; a link is replaced.
        data: The new contents.
        mode: The file's permissions, without those of the umask.
        exactly: With those of the umask too.
        durable: Wait until the file is on disk.

    Raises:
        OSError: It cannot be written.
    """
    path = path.parent.resolve() / path.name
    _remove_leftovers(path)
    file, partial = _create(path, mode)
    try:
        if exactly:
            os.fchmod(file, mode)
        left = memoryview(data)
        while left:
            left = left[os.write(file, left) :]
        if durable:
            os.fsync(file)
        os.replace(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    finally:
        os.close(file)


def _end_of_links(path: Path) -> Path:
    path = Path(os.path.abspath(path))
    for _ in range(_MOST_LINKS):
        path = path.parent.resolve() / path.name
        if not path.is_symlink():
            return path
        if path.lstat().st_uid not in (os.geteuid(), 0):
            raise PermissionError(errno.EPERM, "it leads through a link of another user")
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _name_in_partial(path: Path) -> str:
    return os.fsdecode(os.fsencode(path.name)[:_MOST_OF_NAME])


def _create(path: Path, mode: int) -> tuple[int, Path]:
    while True:
        partial = path.with_name(f"{_name_in_partial(path)}.{secrets.token_hex(8)}.partial")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(partial, flags, mode)
        # Until the lock is there, another process may take the file for a leftover.
        if _lock(file) and os.fstat(file).st_nlink > 0:
            return file, partial
        os.close(file)


def _lock(file: int) -> bool:
    """Lock a file; return False if another process has. Not everywhere are there locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _remove_leftovers(path: Path) -> None:
    """Remove the partial files of processes that have ended. Those of others are locked."""
    if path in _cleaned:
        return
    _cleaned.add(path)
    name = re.compile(re.escape(_name_in_partial(path)) + r"\.[0-9a-f]{16}\.partial")
    for each in os.listdir(path.parent):
        if name.fullmatch(each):
            _remove_if_dead(path.parent / each)


def _remove_if_dead(partial: Path) -> None:
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(partial, flags)
    except OSError:
        return
    try:
        if os.fstat(file).st_uid == os.geteuid():
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            partial.unlink(missing_ok=True)
    except OSError:
        pass  # it is locked, or this folder has no locks
    finally:
        os.close(file)
