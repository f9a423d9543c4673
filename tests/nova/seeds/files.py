"""The files of a machine, in memory, with what happens to real ones: torn writes, full disks."""

from __future__ import annotations

import errno
import io
import posixpath
from types import SimpleNamespace
from typing import Any

from seeds import kernel, stand_ins


class SimulatedFault(Exception):
    """Marks an error as one that the simulation made."""


class DiskError(OSError, SimulatedFault):
    pass


class Disk:
    """Files by path. Appended bytes are there at once: a killed process loses no page cache.

    Attributes:
        is_full: nothing can be written.
        tears: the next write to an open file writes only half of it.
        watch: called with a path and the bytes that were appended.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.folders: dict[str, set[str]] = {"/": set()}
        self.changed: dict[str, int] = {}
        self.is_full = False
        self.tears = False
        self.watch: Any = lambda path, data: None
        self._open: dict[int, str] = {}
        self._next = 3
        self._writes = 0

    def _add(self, path: str) -> None:
        folder, name = posixpath.split(path)
        if folder not in self.folders:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        self.folders[folder].add(name)

    def makedirs(self, path: str) -> None:
        while path not in self.folders:
            self.folders[path] = set()
            parent, name = posixpath.split(path)
            made = parent in self.folders
            self.folders.setdefault(parent, set()).add(name)
            path = "/" if made else parent

    def read(self, path: str) -> bytes:
        try:
            return self.files[path]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path) from None

    def write(self, path: str, data: bytes) -> None:
        process = kernel.process()
        dies = process.edge()
        if self.is_full:
            raise DiskError(errno.ENOSPC, "No space left on device", path)
        self._add(path)
        self._writes += 1
        self.changed[path] = self._writes
        if dies:
            # open() has emptied it; how much of the rest is there is up to the seed.
            self.files[path] = data[: int(process.kernel.random() * (len(data) + 1))]
            process.kill()
        self.files[path] = data

    def append(self, path: str, data: bytes) -> int:
        process = kernel.process()
        dies = process.edge()
        if self.is_full:
            raise DiskError(errno.ENOSPC, "No space left on device", path)
        if dies:
            part = data[: int(process.kernel.random() * (len(data) + 1))]
            self.files[path] = self.files.get(path, b"") + part
            if len(part) == len(data):
                self.watch(path, data)
            process.kill()
        if self.tears:
            self.tears = False
            data = data[: len(data) // 2]
        self._writes += 1
        self.changed[path] = self._writes
        self.files[path] = self.files.get(path, b"") + data
        self.watch(path, data)
        return len(data)

    def remove(self, path: str, missing_ok: bool) -> None:
        dies = kernel.process().edge()
        if path not in self.files:
            if not missing_ok:
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        else:
            del self.files[path]
            folder, name = posixpath.split(path)
            self.folders[folder].discard(name)
        if dies:
            kernel.process().kill()

    def replace(self, old: str, new: str) -> None:
        dies = kernel.process().edge()
        data = self.read(old)
        if self.is_full and new not in self.files:
            raise DiskError(errno.ENOSPC, "No space left on device", new)
        del self.files[old]
        folder, name = posixpath.split(old)
        self.folders[folder].discard(name)
        self._add(new)
        self._writes += 1
        self.changed[new] = self._writes
        self.files[new] = data
        if dies:
            kernel.process().kill()

    def open(self, path: str) -> int:
        self._add(path)
        self.files.setdefault(path, b"")
        self._next += 1
        self._open[self._next] = path
        return self._next

    def path_of(self, file: int) -> str:
        return self._open[file]

    def close(self, file: int) -> None:
        self._open.pop(file, None)


def _disk() -> Disk:
    disk: Disk = kernel.process().machine.disk
    return disk


class _Writer(io.StringIO):
    """A text file that is written when it is closed, as one of a few lines is."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def flush(self) -> None:
        _disk().write(self._path, self.getvalue().encode())

    def fileno(self) -> int:
        return 0

    def close(self) -> None:
        super().close()


class SimPath:
    """pathlib.Path, as far as the plugin and the service use it."""

    __slots__ = ("_path",)

    def __init__(self, path: Any) -> None:
        self._path = str(path)

    def __str__(self) -> str:
        return self._path

    __repr__ = __fspath__ = __str__

    def __truediv__(self, name: str) -> SimPath:
        return SimPath(f"{self._path}/{name}")

    def __lt__(self, other: SimPath) -> bool:
        return self._path < other._path

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SimPath) and self._path == other._path

    def __hash__(self) -> int:
        return hash(self._path)

    @property
    def name(self) -> str:
        return self._path.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        return posixpath.splitext(self._path)[1]

    @property
    def stem(self) -> str:
        return posixpath.splitext(self.name)[0]

    def with_suffix(self, suffix: str) -> SimPath:
        return SimPath(posixpath.splitext(self._path)[0] + suffix)

    def exists(self) -> bool:
        return self._path in _disk().files

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        _disk().makedirs(self._path)

    def iterdir(self) -> list[SimPath]:
        try:
            return [self / name for name in sorted(_disk().folders[self._path])]
        except KeyError:
            raise FileNotFoundError(errno.ENOENT, "No such folder", self._path) from None

    def read_text(self) -> str:
        return _disk().read(self._path).decode()

    def write_text(self, text: str) -> None:
        _disk().write(self._path, text.encode())

    def unlink(self, missing_ok: bool = False) -> None:
        _disk().remove(self._path, missing_ok)

    def open(self, mode: str = "r") -> Any:
        if mode == "rb":
            return io.BytesIO(_disk().read(self._path))
        if mode == "w":
            return _Writer(self._path)
        raise NotImplementedError(mode)


def _open(path: Any, flags: int, mode: int = 0) -> int:
    return _disk().open(str(path))


def _write(file: int, data: bytes) -> int:
    disk = _disk()
    return disk.append(disk.path_of(file), data)


def _fsync(file: int) -> None:
    if kernel.process().edge():
        kernel.process().kill()


def _pread(file: int, count: int, offset: int) -> bytes:
    disk = _disk()
    return disk.read(disk.path_of(file))[offset : offset + count]


def _stat(path: Any) -> Any:
    disk = _disk()
    data = disk.read(str(path))
    return SimpleNamespace(
        st_mtime_ns=disk.changed.get(str(path), 0), st_size=len(data), st_ino=1, st_mode=0o100644
    )


class _Reader(io.BytesIO):
    """A file that is open for reading."""

    def __init__(self, path: str) -> None:
        super().__init__(_disk().read(path))
        self._file = _disk().open(path)

    def fileno(self) -> int:
        return self._file

    def close(self) -> None:
        _disk().close(self._file)
        super().close()


def open_file(path: Any, mode: str, opener: Any = None) -> Any:
    """The built-in `open`, as far as the plugin and the service use it."""
    if mode != "rb":
        raise NotImplementedError(mode)
    return _Reader(str(path))


def replace_file(
    path: Any, data: bytes, *, mode: int = 0, exactly: bool = False, durable: bool = False
) -> None:
    """cospot.whole_file.replace_file, of which a kill leaves the partial file."""
    partial = f"{path}.0123456789abcdef.partial"
    _disk().write(partial, data)
    if durable:
        _fsync(0)
    _disk().replace(partial, str(path))


OS = SimpleNamespace(
    open=_open,
    write=_write,
    fsync=_fsync,
    fstat=lambda file: _stat(_disk().path_of(file)),
    pread=_pread,
    close=lambda file: _disk().close(file),
    replace=lambda old, new: _disk().replace(str(old), str(new)),
    stat=_stat,
    lstat=_stat,
    makedirs=lambda path, exist_ok=False: _disk().makedirs(str(path)),
    getpid=stand_ins.getpid,
    **stand_ins.O_FLAGS,
)
