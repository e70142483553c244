"""The files of corpora: what only a folder has, what only a bucket has, and that a copy takes them along."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.store_factory import DiskStore, open_store
from rori_spiders.staging.transfer import copy_staging_area
from tests.envelope.factories import NOON
from tests.staging.s3.proxy import Fault
from tests.staging.test_contract import LATEST, RUN, VERSION

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from tests.staging.s3.fixtures import Area


def test_domain_files_links_and_foreign_files_are_refused_and_reported(
    store: DiskStore, root: Path, tmp_path: Path
) -> None:
    files = store.domains
    files.write_new(f"{VERSION}/pages/a.md", b"a")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_bytes(b"secret")
    (root / "domains" / "linked.gov").symlink_to(outside)
    (root / VERSION / "pages" / "b.md").symlink_to(outside / "secret.md")
    (root / VERSION / "notes.txt").write_bytes(b"?")
    (root / LATEST).symlink_to(outside / "secret.md")
    for use in (
        lambda: files.read(f"{VERSION}/pages/b.md"),
        lambda: files.exchange(LATEST, b"secret", b"1"),
        lambda: files.write_new("domains/linked.gov/corpora/v1/manifest.json", b"{}"),
    ):
        with pytest.raises(StagingError, match="contains a symbolic link"):
            use()
    assert list(files.paths()) == [f"{VERSION}/pages/a.md"]
    strays = {"domains/linked.gov", f"{VERSION}/pages/b.md", f"{VERSION}/notes.txt", LATEST}
    assert set(store.strays()) == strays
    assert (outside / "secret.md").read_bytes() == b"secret"


def test_domain_files_concurrent_exchanges_of_latest_let_one_win(store: DiskStore) -> None:
    moved: list[bool] = []

    def move(number: int) -> None:
        moved.append(DiskStore(Path(store.location)).domains.exchange(LATEST, None, b"%d" % number))

    threads = [Thread(target=move, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(moved) == [False] * 7 + [True]


def test_domain_files_overtaken_exchange_on_bucket_is_refused(area: Area) -> None:
    own, other = area.store(), area.store()
    for store in (own, other):
        store.check_writable()
    assert own.domains.exchange(LATEST, None, b"1")

    def overtake(method: str, path: str) -> None:
        if method == "PUT":
            area.proxy.on_request = lambda method, path: None
            assert other.domains.exchange(LATEST, b"1", b"theirs")

    area.proxy.on_request = overtake
    assert not own.domains.exchange(LATEST, b"1", b"mine")
    assert own.domains.read(LATEST) == b"theirs"


@pytest.mark.usefixtures("hurried")
def test_domain_files_exchange_with_lost_response_is_done(area: Area) -> None:
    store = area.store()
    store.check_writable()
    area.proxy.faults = [Fault("cut", "PUT", "latest.json")]
    assert store.domains.exchange(LATEST, None, b"1")
    area.proxy.faults = [Fault("cut", "PUT", "latest.json")]
    assert store.domains.exchange(LATEST, b"1", b"2")
    assert store.domains.read(LATEST) == b"2"


@pytest.mark.parametrize(("begins", "ends"), [("disk", "s3"), ("s3", "disk")])
def test_domain_files_corpora_are_copied(ledger: Ledger, tmp_path: Path, area: Area, begins: str, ends: str) -> None:
    source = open_store(tmp_path / "from" if begins == "disk" else f"{area.uri}/from")
    target = open_store(tmp_path / "to" if ends == "disk" else f"{area.uri}/to")
    for path in (f"{VERSION}/pages/a.md", f"{VERSION}/tombstones/b.md", f"{VERSION}/manifest.json"):
        source.domains.write_new(path, path.encode())
    source.domains.replace(f"{RUN}/reports/audit.json", b"1")
    source.domains.exchange(LATEST, None, b"1")
    assert corpus_files(ledger, source, target) == (5, 0)
    assert corpus_files(ledger, source, target) == (0, 5)
    source.domains.replace(f"{RUN}/reports/audit.json", b"2")
    source.domains.exchange(LATEST, b"1", b"2")
    assert corpus_files(ledger, source, target)[0] >= 1
    assert {path: target.domains.read(path) for path in target.domains.paths()} == {
        path: source.domains.read(path) for path in source.domains.paths()
    }
    assert len(list(target.domains.paths())) == 5


def corpus_files(ledger: Ledger, source: Store, target: Store) -> tuple[int, int]:
    kinds = {kind.what: kind for kind in copy_staging_area(ledger, source, target, NOON)}
    return kinds["corpus files"].copied, kinds["corpus files"].there


def test_domain_files_existing_version_is_not_overwritten(ledger: Ledger, tmp_path: Path) -> None:
    source, target = open_store(tmp_path / "from"), open_store(tmp_path / "to")
    source.domains.write_new(f"{VERSION}/manifest.json", b"1")
    target.domains.write_new(f"{VERSION}/manifest.json", b"2")
    with pytest.raises(StagingError, match="differs from the file in this staging area"):
        corpus_files(ledger, source, target)
    assert target.domains.read(f"{VERSION}/manifest.json") == b"2"
