"""The staging area in a folder: what is written is whole, kept once, and stays inside."""

from __future__ import annotations

import errno
import gzip
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.store_factory import DiskStore, open_store
from tests.staging import child_processes
from tests.staging.job_driver import of_a_run

if TYPE_CHECKING:
    from collections.abc import Callable

PATH = "x.gov/2026-02-13/s__a__a1b2c3d4.json"


def test_disk_store_object_is_stored_once_under_its_hash(store: DiskStore, root: Path) -> None:
    digest = store.put_object(b"<html>")
    assert digest == sha256(b"<html>").hexdigest()
    object_file = root / "_objects" / digest[:2] / f"{digest}.gz"
    before = object_file.stat()
    assert store.put_object(b"<html>") == digest
    assert object_file.stat().st_ino == before.st_ino
    assert gzip.decompress(object_file.read_bytes()) == b"<html>"
    assert object_file.read_bytes()[4:8] == b"\0\0\0\0", "no time in it: the same bytes always give the same file"
    assert store.get_object(digest) == b"<html>"
    assert store.has_object(digest)


def test_disk_store_missing_or_damaged_object_is_reported(store: DiskStore, root: Path) -> None:
    digest = store.put_object(b"text")
    with pytest.raises(FileNotFoundError):
        store.get_object("0" * 64)
    assert not store.has_object("0" * 64)
    object_file = root / "_objects" / digest[:2] / f"{digest}.gz"
    object_file.write_bytes(gzip.compress(b"other text"))
    with pytest.raises(StagingError, match="do not match its name"):
        store.get_object(digest)
    object_file.write_bytes(object_file.read_bytes()[:-6])
    with pytest.raises(StagingError, match="is damaged"):
        store.get_object(digest)


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_disk_store_object_name_must_be_hash(store: DiskStore, digest: str) -> None:
    with pytest.raises(StagingError, match="not a valid object name"):
        store.get_object(digest)


def test_disk_store_envelope_is_written_once(store: DiskStore, root: Path) -> None:
    store.write_envelope(PATH, b"{}")
    store.write_envelope(PATH, b"{}")
    assert store.read(PATH) == b"{}"
    with pytest.raises(FileExistsError, match="with other contents"):
        store.write_envelope(PATH, b"[]")
    assert (root / PATH).read_bytes() == b"{}"
    assert (root / PATH).stat().st_nlink == 1
    assert list((root / "_tmp").iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        "../x/a.json",
        "/etc/x/passwd.json",
        "x.gov/../a.json",
        "x.gov/./a.json",
        "x.gov//a.json",
        "x.gov/a.json",
        "x.gov/day/sub/a.json",
        "_objects/ab/a.json",
        "x.gov/day/.a.json",
        "x.gov/day/a\0.json",
        "x.gov/day/a.txt",
        "",
    ],
)
def test_disk_store_path_outside_area_or_layout_is_refused(store: DiskStore, path: str) -> None:
    for use in (store.read, store.exists, store.remove, lambda odd: store.write_envelope(odd, b"{}")):
        with pytest.raises(StagingError, match="is not the path of an envelope"):
            use(path)


def _link_domain(root: Path, elsewhere: Path) -> None:
    (root / "x.gov").symlink_to(elsewhere)


def _link_day(root: Path, elsewhere: Path) -> None:
    (root / "x.gov").mkdir()
    (root / "x.gov" / "2026-02-13").symlink_to(elsewhere)


def _link_tmp(root: Path, elsewhere: Path) -> None:
    (root / "_tmp").symlink_to(elsewhere)


@pytest.mark.parametrize("attack", [_link_domain, _link_day, _link_tmp])
def test_disk_store_linked_folder_is_not_written_through(
    store: DiskStore, root: Path, tmp_path: Path, attack: Callable[[Path, Path], None]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root.mkdir()
    attack(root, elsewhere)
    with pytest.raises(StagingError, match="symbolic link"):
        store.write_envelope(PATH, b"{}")
    assert list(elsewhere.iterdir()) == []
    assert any("gov" in stray or "_tmp" in stray for stray in store.strays())


def test_disk_store_linked_file_is_neither_read_nor_written(store: DiskStore, root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    (root / PATH).parent.mkdir(parents=True)
    (root / PATH).symlink_to(secret)
    with pytest.raises(StagingError, match="symbolic link"):
        store.read(PATH)
    with pytest.raises(StagingError, match="symbolic link"):
        store.write_envelope(PATH, b"{}")
    assert not store.exists(PATH)
    assert list(store.paths()) == []
    assert list(store.strays()) == [PATH]


@pytest.mark.parametrize("name", ["_index.jsonl", "_errors.jsonl"])
def test_disk_store_linked_log_is_not_appended_to(store: DiskStore, root: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine\n")
    root.mkdir()
    (root / name).symlink_to(victim)
    with pytest.raises(StagingError, match="symbolic link"):
        store.index.append(of_a_run("{}")) if name == "_index.jsonl" else store.errors.append(of_a_run("{}"))
    with pytest.raises(StagingError, match="symbolic link"):
        store.check_writable()
    assert victim.read_text() == "mine\n"
    assert list(store.strays()) == [name]


def test_disk_store_linked_object_is_not_read(store: DiskStore, root: Path, tmp_path: Path) -> None:
    digest = store.put_object(b"text")
    object_file = root / "_objects" / digest[:2] / f"{digest}.gz"
    object_file.rename(tmp_path / "moved.gz")
    object_file.symlink_to(tmp_path / "moved.gz")
    with pytest.raises(StagingError, match="symbolic link"):
        store.get_object(digest)
    assert not store.has_object(digest)


def test_disk_store_pipe_in_place_of_file_does_not_hang(store: DiskStore, root: Path) -> None:
    (root / PATH).parent.mkdir(parents=True)
    os.mkfifo(root / PATH)
    with pytest.raises(StagingError, match="special file"):
        store.read(PATH)


def test_disk_store_foreign_files_are_reported(store: DiskStore, root: Path) -> None:
    store.write_envelope(PATH, b"{}")
    odd = ["notes.txt", "x.gov/readme", "x.gov/2026-02-13/draft.json~", ".git/hooks", "x.gov/2026-02-13/deep/a.json"]
    for path in odd:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("?")
    (Path(os.fsdecode(os.fsencode(root) + b"/bad-\xff-name"))).write_text("?")
    found = list(store.strays())
    assert found == [".git", "bad-�-name", "notes.txt", *(f"x.gov/{end}" for end in _STRAY_ENDS)]
    assert list(store.paths()) == [PATH]


_STRAY_ENDS = ["2026-02-13/deep", "2026-02-13/draft.json~", "readme"]


def test_disk_store_check_writable_leaves_area_ready(store: DiskStore, root: Path) -> None:
    store.check_writable()
    store.check_writable()
    assert sorted(path.name for path in root.iterdir()) == ["_errors.jsonl", "_index.jsonl", "_tmp"]
    assert list((root / "_tmp").iterdir()) == []
    assert list(store.index.lines()) == []


def test_disk_store_folder_without_write_permission_is_refused_at_once(root: Path) -> None:
    root.mkdir()
    root.parent.chmod(0o755)
    root.chmod(0o555)

    def check() -> None:
        with pytest.raises(StagingError, match=r"cannot be written: Permission denied .*set RORI_STAGING"):
            DiskStore(root).check_writable()

    assert child_processes.run(check, as_nobody=True) == 0


@pytest.mark.parametrize("place", ["/proc/rori-staging", "/dev/null", "/dev/null/below"])
def test_disk_store_place_that_cannot_be_folder_is_refused(place: str) -> None:
    with pytest.raises(StagingError, match=r"The staging area /(proc|dev)"):
        DiskStore(Path(place)).check_writable()


def test_disk_store_full_disk_is_reported_before_first_request(
    store: DiskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.check_writable()
    full = os.statvfs_result((4096, 4096, 1000, 10, 10, 10, 10, 10, 0, 255))
    monkeypatch.setattr(os, "fstatvfs", lambda fd: full)
    with pytest.raises(StagingError, match="is nearly full: 0 MiB are free"):
        store.check_writable()


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
def test_disk_store_full_disk_leaves_nothing_half_written(
    store: DiskStore, root: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    store.check_writable()

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        with pytest.raises(StagingError, match="is full: No space left on device"):
            store.write_envelope(PATH, b"{}")
    assert list(store.paths()) == []
    assert list((root / "_tmp").iterdir()) == []
    store.write_envelope(PATH, b"{}")


def test_disk_store_files_are_readable_by_group_of_ingestion(store: DiskStore, root: Path) -> None:
    before = os.umask(0o027)
    try:
        store.write_envelope(PATH, b"{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / PATH).stat().st_mode) == 0o640


def test_disk_store_temporary_files_of_dead_processes_only_are_removed(store: DiskStore, root: Path) -> None:
    def die_while_writing() -> None:
        os.link = lambda *args, **kwargs: os._exit(7)
        store.write_envelope(PATH, b"{}")

    assert child_processes.run(die_while_writing) == 7
    left = list((root / "_tmp").iterdir())
    assert len(left) == 1
    assert list(store.strays()) == [f"_tmp/{left[0].name}"]

    ready_pipe, tell = os.pipe()
    wait, go_on = os.pipe()

    def write_slowly() -> None:
        link = os.link

        def slow(*args: object, **kwargs: object) -> None:
            os.write(tell, b"1")
            os.read(wait, 1)
            link(*args, **kwargs)  # type: ignore[arg-type]

        os.link = slow
        store.write_envelope(PATH, b"{}")

    writer = child_processes.start(write_slowly)
    os.read(ready_pipe, 1)
    assert store.mend().temporary == 1
    assert len(list((root / "_tmp").iterdir())) == 1
    os.write(go_on, b"1")
    assert child_processes.end(writer) == 0
    assert store.read(PATH) == b"{}"
    assert list((root / "_tmp").iterdir()) == []
    for fd in (ready_pipe, tell, wait, go_on):
        os.close(fd)


def test_disk_store_root_may_be_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "staged").symlink_to(tmp_path / "disk")
    DiskStore(tmp_path / "staged").write_envelope(PATH, b"{}")
    assert (tmp_path / "disk" / PATH).read_bytes() == b"{}"


def test_disk_store_location_must_be_folder(tmp_path: Path) -> None:
    assert open_store(tmp_path / "new").location == str(tmp_path / "new")
    assert open_store(str(tmp_path)).location == str(tmp_path)
    assert open_store("s3://bucket/prefix/").location == "s3://bucket/prefix"
    assert open_store("s3://bucket").location == "s3://bucket"
    for odd in ("s3://", "s3:///prefix", "s3://a", "s3://bucket/a//b", "s3://bucket/../x", "s3://bucket/" + "é" * 300):
        with pytest.raises(StagingError, match="is not a valid S3 location"):
            open_store(odd)
    for odd in ("ftp://x/y", "", " ", "a\0b"):
        with pytest.raises(StagingError, match="is not a valid staging area"):
            open_store(odd)
