"""A folder on disk that is entered step by step, by file descriptors: no symbolic link on the way is ever followed.

In: a root, and names below it. Out: descriptors and bytes, or OSError. Only the root itself may be a link, which is
the operator's choice. Whole files appear at once: written under ``_tmp/``, then linked to their name.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

TEMPORARY_FOLDER = "_tmp"
#: Files of one group that are flushed at the same time: the disk then writes them together.
MAX_THREADS = 4
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


class FolderEntry(NamedTuple):
    """A name in a folder and what it stands for: ``folder``, ``file``, or ``other`` (links, pipes, devices)."""

    name: str
    kind: str


class NewFile(NamedTuple):
    """A file that is to be made: the folders that it is in, its name, and what makes its bytes, in any thread."""

    parts: tuple[str, ...]
    name: str
    make: Callable[[], bytes]


class Folder:
    """The tree below *root*. *parts* are names of nested folders, each without a separator."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._id: tuple[int, int] | None = None  # device and inode, once it was entered

    @contextmanager
    def entered(self, parts: tuple[str, ...] = (), *, create: bool = False) -> Iterator[int]:
        """A descriptor of the folder *parts*. Raises FileNotFoundError unless *create*.

        OSError (ESTALE) when the root is not the one that was entered before: a disk was unmounted, a folder moved.
        """
        fd = self._root(create=create)
        try:
            for part in parts:
                fd = self._step(fd, part, create=create)
            yield fd
        finally:
            os.close(fd)

    def _root(self, *, create: bool) -> int:
        if create and self._id is None:
            self.root.mkdir(mode=0o770, parents=True, exist_ok=True)
        try:
            fd = os.open(self.root, _FOLDER_FLAGS)
        except FileNotFoundError as error:
            if self._id is None:
                raise
            raise _find_stale(self.root) from error
        status = os.fstat(fd)
        if self._id not in {None, (status.st_dev, status.st_ino)}:
            os.close(fd)
            raise _find_stale(self.root)
        self._id = (status.st_dev, status.st_ino)
        return fd

    def _step(self, fd: int, part: str, *, create: bool) -> int:
        try:
            below = os.open(part, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=fd)
        except FileNotFoundError:
            if not create:
                raise
            with suppress(FileExistsError):
                os.mkdir(part, 0o770, dir_fd=fd)
            os.fsync(fd)
            below = os.open(part, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=fd)
        os.close(fd)
        return below

    def read(self, parts: tuple[str, ...], name: str) -> bytes:
        """The bytes of a regular file: what ``entered`` and ``opened`` do, without the cost of their contexts."""
        fd = self._root(create=False)
        try:
            for part in parts:
                fd = self._step(fd, part, create=False)
            file = _open_regular(fd, name, os.O_RDONLY)
        finally:
            os.close(fd)
        try:
            return read_all(file)
        finally:
            os.close(file)

    @contextmanager
    def opened(self, fd: int, name: str, flags: int) -> Iterator[int]:
        """A descriptor of the regular file *name* in the folder *fd*."""
        file = _open_regular(fd, name, flags)
        try:
            yield file
        finally:
            os.close(file)

    def is_file(self, parts: tuple[str, ...], name: str) -> bool:
        try:
            with self.entered(parts) as fd:
                return stat.S_ISREG(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return False

    def size(self, parts: tuple[str, ...], name: str) -> int:
        """Bytes of a file; 0 when it is not there any more."""
        try:
            with self.entered(parts) as fd:
                return os.stat(name, dir_fd=fd, follow_symlinks=False).st_size
        except FileNotFoundError:
            return 0

    def entries(self, parts: tuple[str, ...]) -> list[FolderEntry]:
        """The entries of a folder, sorted by name; none if it does not exist."""
        try:
            with self.entered(parts) as fd, os.scandir(fd) as found:
                return sorted(_classify_entry(one) for one in found)
        except FileNotFoundError:
            return []

    def write_new(self, parts: tuple[str, ...], name: str, data: bytes) -> bool:
        """Make the file *name* with *data*, whole and on the disk on return; False when the name is taken."""
        return self.write_all_new([NewFile(parts, name, lambda: data)])[0]

    def write_all_new(self, files: Sequence[NewFile]) -> list[bool]:
        """Make the files, each whole and all of them on the disk on return; False for each whose name is taken.

        They are made and flushed by several threads, and only then linked to their names; a folder is flushed once.
        """
        with self.entered((TEMPORARY_FOLDER,), create=True) as workshop, ExitStack() as unfinished:
            made = [unfinished.enter_context(self._temporary(workshop)) for _ in files]
            _run_together([partial(_write_flushed, file, new.make) for (file, _), new in zip(made, files, strict=True)])
            folders: dict[tuple[str, ...], int] = {}
            try:
                return [
                    _link_new(workshop, name, self._opened_once(unfinished, folders, new.parts), new.name)
                    for (_, name), new in zip(made, files, strict=True)
                ]
            finally:
                _run_together([partial(os.fsync, fd) for fd in folders.values()])

    def _opened_once(self, opened: ExitStack, folders: dict[tuple[str, ...], int], parts: tuple[str, ...]) -> int:
        if parts not in folders:
            folders[parts] = opened.enter_context(self.entered(parts, create=True))
        return folders[parts]

    def replace(self, parts: tuple[str, ...], name: str, data: bytes) -> None:
        """Put *data* in the place of the file *name*, or of nothing: whole and on the disk on return."""
        with (
            self.entered((TEMPORARY_FOLDER,), create=True) as workshop,
            self._temporary(workshop) as (file, unfinished),
            self.entered(parts, create=True) as fd,
        ):
            _write_flushed(file, lambda: data)
            with suppress(FileNotFoundError), self.opened(fd, name, os.O_RDONLY):
                pass  # a link, a pipe, a folder is refused, not replaced
            os.rename(unfinished, name, src_dir_fd=workshop, dst_dir_fd=fd)
            os.fsync(fd)

    @contextmanager
    def locked(self, parts: tuple[str, ...]) -> Iterator[None]:
        """Alone in the folder *parts*, among those that ask for it."""
        with self.entered(parts, create=True) as fd:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _temporary(self, workshop: int) -> Iterator[tuple[int, str]]:
        """A new locked file. Its lock says that its writer lives: ``unfinished`` takes only what it can lock itself."""
        name = uuid4().hex
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE_FLAGS, 0o660, dir_fd=workshop)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fstat(file).st_nlink == 0:  # swept between its making and its lock: begin again
                with self._temporary(workshop) as again:
                    yield again
                return
            yield file, name
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=workshop)
            os.close(file)

    def unfinished(self, *, remove: bool) -> list[str]:
        """Names of temporary files whose writers are dead; *remove* them, too."""
        dead = []
        for entry in self.entries((TEMPORARY_FOLDER,)):
            if entry.kind != "file":
                continue
            with (
                suppress(FileNotFoundError, BlockingIOError),
                self.entered((TEMPORARY_FOLDER,)) as fd,
                self.opened(fd, entry.name, os.O_RDONLY) as file,
            ):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if remove:
                    os.unlink(entry.name, dir_fd=fd)
                dead.append(entry.name)
        return dead

    def unlink(self, parts: tuple[str, ...], name: str) -> None:
        with suppress(FileNotFoundError), self.entered(parts) as fd:
            os.unlink(name, dir_fd=fd)
            os.fsync(fd)


def _open_regular(fd: int, name: str, flags: int) -> int:
    """A descriptor of the regular file *name* in the folder *fd*; O_NONBLOCK, so that a pipe cannot hang us."""
    file = os.open(name, flags | _FILE_FLAGS | os.O_NONBLOCK, 0o660, dir_fd=fd)
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise NotADirectoryError(errno.ENOTDIR, "it is not a regular file", name)


def _find_stale(root: Path) -> OSError:
    return OSError(errno.ESTALE, os.strerror(errno.ESTALE), os.fspath(root))


def _classify_entry(found: os.DirEntry[str]) -> FolderEntry:
    if found.is_dir(follow_symlinks=False):
        return FolderEntry(found.name, "folder")
    return FolderEntry(found.name, "file" if found.is_file(follow_symlinks=False) else "other")


def _write_flushed(file: int, make: Callable[[], bytes]) -> None:
    write_all(file, make())
    os.fsync(file)


def _link_new(workshop: int, unfinished: str, fd: int, name: str) -> bool:
    try:
        os.link(unfinished, name, src_dir_fd=workshop, dst_dir_fd=fd, follow_symlinks=False)
    except FileExistsError:
        return False
    return True


def _run_together(work: Sequence[Callable[[], object]]) -> None:
    """Do it all, in a few threads: compressing and flushing leave the interpreter to others. Raises the first error."""
    if len(work) <= 1:
        for do in work:
            do()
        return
    started = [_writer_threads().submit(one) for one in work]
    wait(started)  # for all of them, whatever fails: the files that they write to are closed behind this
    for one in started:
        one.result()


@cache
def _writer_threads() -> ThreadPoolExecutor:
    """Kept by the process: pages come one by one, and threads for each of them cost more than what they do."""
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="staging")


os.register_at_fork(after_in_child=_writer_threads.cache_clear)  # a child has the pool, but none of its threads


def read_all(file: int) -> bytes:
    """The bytes of *file* from its beginning."""
    data = os.pread(file, os.fstat(file).st_size + 1, 0)
    while more := os.pread(file, 1 << 20, len(data)):
        data += more
    return data


def write_all(file: int, data: bytes) -> None:
    """Write every byte: a disk that fills up may take only some of them."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
