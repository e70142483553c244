"""What every store keeps to: a folder, a bucket, a bucket that cannot refuse to overwrite, a plug-in (the example)."""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from rori_spiders.exceptions import DamagedObject, StagingError
from rori_spiders.staging.consistency import is_store_empty
from rori_spiders.staging.layout import object_path
from rori_spiders.staging.store_factory import open_store
from tests.staging.disk.test_store import PATH
from tests.staging.job_driver import of_a_run
from tests.support.example_plugins import EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from rori_spiders.staging.store import Store


@pytest.fixture
def example_plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example's module; forgotten at the end, since other tests install a copy of it."""
    monkeypatch.syspath_prepend(EXAMPLE)
    yield import_module("rori_example_plugins")
    del sys.modules["rori_example_plugins"]


@pytest.fixture(params=["disk", "plug-in", "s3", "s3 that overwrites"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    if request.param == "disk":
        return open_store(tmp_path / "staged")
    if request.param == "plug-in":  # yours: open it here
        example = request.getfixturevalue("example_plugin")
        opened: Store = example.open_mirrored(f"mirrored://{tmp_path / 'staged'}?to={tmp_path / 'copy'}")
        return opened
    if request.param == "s3 that overwrites":
        monkeypatch.setattr("rori_spiders.staging.s3.bucket.Bucket.is_conditional", False)
    return open_store(request.getfixturevalue("area").uri)


def test_put_objects_returns_hashes_in_order(store: Store) -> None:
    known = store.put_object(b"known")
    objects = [b"one", b"known", b"two", b"one"]
    assert store.put_objects(objects) == [sha256(data).hexdigest() for data in objects]
    assert known in store.put_objects(objects)
    assert [store.get_object(digest) for digest in store.put_objects(objects)] == objects
    assert store.put_objects([]) == []


def test_write_envelopes_names_paths_with_other_bytes(store: Store) -> None:
    other, same, new = (PATH.replace("__a__", f"__{name}__") for name in ("other", "same", "new"))
    store.write_envelope(other, b"[]")
    store.write_envelope(same, b"{}")
    assert store.write_envelopes({other: b"{}", same: b"{}", new: b"{}"}) == {other}
    assert [store.read(path) for path in (other, same, new)] == [b"[]", b"{}", b"{}"]


def test_store_object_is_stored_once_under_its_hash(store: Store) -> None:
    assert is_store_empty(store)
    digest = store.put_object(b"<html>")
    assert digest == store.put_object(b"<html>") == sha256(b"<html>").hexdigest()
    assert open_store(store.location).put_object(b"<html>") == digest
    assert store.get_object(digest) == b"<html>"
    assert store.has_object(digest)
    assert list(store.objects()) == [digest]
    assert not store.has_object("0" * 64)
    with pytest.raises(FileNotFoundError):
        store.get_object("0" * 64)
    for odd in ("", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"):
        with pytest.raises(StagingError, match="not a valid object name"):
            store.get_object(odd)


def test_store_envelope_is_written_once(store: Store) -> None:
    store.write_envelope(PATH, b"{}")
    store.write_envelope(PATH, b"{}")
    assert store.read(PATH) == b"{}"
    with pytest.raises(FileExistsError, match="with other contents"):
        store.write_envelope(PATH, b"[]")
    assert store.read(PATH) == b"{}"
    assert not is_store_empty(store)


def test_store_summary_is_written_once(store: Store) -> None:
    path = "_summaries/cfpb/run.json"
    with pytest.raises(FileNotFoundError):
        store.read_summary(path)
    assert store.write_summary(path, b"{}")
    assert not store.write_summary(path, b"{}")
    with pytest.raises(FileExistsError, match="with other contents"):
        store.write_summary(path, b"[]")
    assert store.read_summary(path) == b"{}"
    assert list(store.summaries()) == [path]
    assert list(store.paths()) == []


def test_store_paths_are_listed_in_order_and_removed(store: Store) -> None:
    assert list(store.paths()) == []
    others = ["b.gov/2026-01-02/x.json", "b.gov/2026-01-01/y.json", "a.gov/2026-01-02/z.json"]
    for path in others:
        store.write_envelope(path, b"{}")
    store.put_object(b"object")
    store.index.append(of_a_run("{}"))
    assert list(store.paths()) == sorted(others)
    assert list(store.strays()) == []
    assert store.exists(others[0])
    store.remove(others[0])
    store.remove(others[0])
    assert not store.exists(others[0])
    with pytest.raises(FileNotFoundError):
        store.read(others[0])


@pytest.mark.parametrize("path", ["../x/a.json", "x.gov/../a.json", "_objects/ab/a.json", "x.gov/day/.a.json", ""])
def test_store_path_outside_area_or_layout_is_refused(store: Store, path: str) -> None:
    for use in (store.read, store.exists, store.remove, lambda odd: store.write_envelope(odd, b"{}")):
        with pytest.raises(StagingError, match="is not the path of an envelope"):
            use(path)


def test_store_lines_are_returned_in_order(store: Store) -> None:
    assert list(store.index.lines()) == []
    odd = "a\rb\x0bc\x85d\u2028e"
    store.index.append([])
    store.index.append(of_a_run("1", odd))
    store.index.append(of_a_run("3"))
    store.errors.append(of_a_run("e"))
    assert list(store.index.lines()) == ["1", odd, "3"]
    assert [line for _, line in store.index.places()] == ["1", odd, "3"]
    assert list(store.errors.lines()) == ["e"]
    with pytest.raises(ValueError, match="not one line"):
        store.index.append(of_a_run("good", "bad\nline"))
    assert not is_store_empty(store)
    assert store.torn() == ()


def test_store_appends_only_missing_lines(store: Store) -> None:
    store.index.append(of_a_run("1", "2"))
    assert store.index.append_missing(of_a_run("2", "3", "3", "1", "4")) == 2
    assert store.index.append_missing(of_a_run("4", "3")) == 0
    assert open_store(store.location).index.append_missing(of_a_run("4", "3", "5")) == 1
    store.index.append(of_a_run("6"))
    assert store.index.append_missing([]) == 0
    assert list(store.index.lines()) == ["1", "2", "3", "4", "5", "6"]


def test_store_confirmations_are_read_from_last_position(store: Store, request: pytest.FixtureRequest) -> None:
    store.check_writable()
    assert list(store.confirmations("")) == []
    position, come = "", []
    for text in ('{"envelope_id": "a"}\n', '{"envelope_id": "b"}\n{"envelope_id": "c"}\n'):
        if store.location.startswith("s3://"):
            request.getfixturevalue("area").put(f"_confirmed/{uuid4()}", text.encode())
        else:
            with (request.getfixturevalue("tmp_path") / "staged" / "_confirmed.jsonl").open("a") as log:
                log.write(text)
        for lines, after in store.confirmations(position):
            come += [line for line in lines if line]
            position = after
    assert list(dict.fromkeys(come)) == ['{"envelope_id": "a"}', '{"envelope_id": "b"}', '{"envelope_id": "c"}']
    again = [line for lines, _ in store.confirmations("17:abcdef of another kind of store") for line in lines if line]
    assert sorted(again) == sorted(set(come)), "a position of another store is the beginning"
    assert store.envelope_bytes() == 0


@pytest.mark.parametrize("name", ["evil.html", "ab/evil.html", f"ab/{'c' * 64}.gz"])
def test_store_foreign_file_among_objects_is_a_stray(store: Store, request: pytest.FixtureRequest, name: str) -> None:
    store.put_object(b"object")
    if store.location.startswith("s3://"):
        request.getfixturevalue("area").put(f"_objects/{name}", b"x")
    else:
        file = Path(store.location) / "_objects" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"x")
    assert list(store.strays()) == [f"_objects/{name}"]


def test_store_check_writable_leaves_area_empty(store: Store) -> None:
    store.check_writable()
    store.check_writable()
    assert is_store_empty(store)
    assert list(store.strays()) == []
    assert store.mend().temporary == 0


def test_store_damaged_object_is_reported(store: Store, request: pytest.FixtureRequest) -> None:
    digest = store.put_object(b"text")
    if store.location.startswith("s3://"):
        request.getfixturevalue("area").put(object_path(digest), b"no gzip")
    else:
        (request.getfixturevalue("tmp_path") / "staged" / object_path(digest)).write_bytes(b"no gzip")
    with pytest.raises(DamagedObject, match="is damaged"):
        open_store(store.location).get_object(digest)


RUN = "domains/www.hud.gov/runs/1f"
VERSION = "domains/www.hud.gov/corpora/v1"
LATEST = "domains/www.hud.gov/corpora/latest.json"


def test_store_published_file_is_written_once_and_working_file_replaced(store: Store) -> None:
    files, page = store.domains, f"{VERSION}/pages/web_8f4d9b2a_pricing.md"
    assert files.write_new(page, b"# Pricing")
    assert not files.write_new(page, b"# Pricing")
    with pytest.raises(FileExistsError, match="with other contents"):
        files.write_new(page, b"# Prices")
    for path in (page, f"{VERSION}/manifest.json", LATEST):
        with pytest.raises(StagingError, match="which this operation does not write"):
            files.replace(path, b"# Prices")
    assert files.read(page) == b"# Pricing"
    for data in (b"[1]", b"[2]", b"[2]"):
        files.replace(f"{RUN}/reports/audit.json", data)
        assert files.read(f"{RUN}/reports/audit.json") == data
    with pytest.raises(FileNotFoundError):
        files.read(f"{RUN}/manifest.json")
    files.write_new(f"{RUN}/manifest.json", b"{}")
    assert sorted(files.paths()) == [page, f"{RUN}/manifest.json", f"{RUN}/reports/audit.json"]
    assert sorted(files.paths(RUN)) == [f"{RUN}/manifest.json", f"{RUN}/reports/audit.json"]
    assert list(files.paths("domains/other.gov")) == []
    assert list(store.paths()) == list(store.strays()) == []


def test_store_latest_is_exchanged_only_from_expected_value(store: Store) -> None:
    files = store.domains
    assert files.exchange(LATEST, None, b"1")
    assert files.exchange(LATEST, None, b"1"), "whoever repeats it has done it"
    assert not files.exchange(LATEST, None, b"2")
    assert not files.exchange(LATEST, b"0", b"2")
    assert files.read(LATEST) == b"1"
    assert files.exchange(LATEST, b"1", b"2")
    assert files.exchange(LATEST, b"1", b"2")
    assert not files.exchange(LATEST, b"1", b"3")
    assert files.read(LATEST) == b"2"
    assert not files.exchange("domains/a.gov/corpora/latest.json", b"1", b"2")


@pytest.mark.parametrize(
    "path",
    [
        "domains/../x/runs/1/a.md", "domains/x.gov/runs/../a.md", "domains/x.gov/runs/1/raw/.a.md",
        "_objects/ab/a.json",
        "domains/x.gov/corpora/v0/manifest.json", "domains/x.gov/corpora/v1/other/a.md", "domains/x.gov/other.json",
        "domains/X.gov/corpora/v1/manifest.json", "domains/x.gov/corpora/v1/pages/a/b.md", "",
    ],
)  # fmt: skip
def test_store_path_outside_corpus_is_refused(store: Store, path: str) -> None:
    for use in (store.domains.read, lambda odd: store.domains.write_new(odd, b"{}")):
        with pytest.raises(StagingError, match="is not the path of a corpus's file"):
            use(path)
    for below in ("x.gov", "domains/../x.gov", "domains/", ""):
        with pytest.raises(StagingError, match="is not a folder of corpora"):
            list(store.domains.paths(below))
    with pytest.raises(StagingError, match="is not the path of an envelope"):
        store.write_envelope("domains/2026-01-01/a.json", b"{}")
