"""Publishing is killed at random moments: `latest` names a whole version, and the next attempt finishes that number.

`python -m benchmarks.corpus_kills` does the same as often as you like.
"""

from __future__ import annotations

import random
import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rori_spiders.corpus.publishing.publisher import publish_version
from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.corpus import published_versions
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import DiskStore, open_store
from tests.corpus.publishing.factories import DOMAIN, NOW, SITE, entries, latest, request
from tests.corpus.publishing.killing import Published, edition
from tests.staging import child_processes
from tests.staging.kill_points import KILLED, die_at
from tests.staging.s3.proxy import Fault
from tests.support.databases import open_empty_ledger, write_empty_ledger

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.publishing.conftest import Corpus
    from tests.staging.s3.fixtures import Area


def test_publish_killed_at_random_moments_recovers(tmp_path: Path) -> None:
    write_empty_ledger(tmp_path / "ledger.db")
    killed = Published(tmp_path / "ledger.db", str(tmp_path / "staged"), random.Random(20261123))
    for number in range(1, 5):
        killed.version(number, 4)
    assert killed.finished == 4
    # When they strike is chance, and the machine's load: only that they are no empty threat is asked for.
    assert killed.kills >= 4, killed.where


@pytest.mark.parametrize("torn", [False, True], ids=["between", "within"])
def test_publish_killed_at_every_step_recovers(tmp_path: Path, torn: bool) -> None:
    """At each of the calls that change the disk, and at each commit; each time the second version of a corpus."""
    first, step, states, died = tmp_path / "first", 0, set(), True
    with closing(open_empty_ledger(first / "ledger.db")) as ledger:
        store = DiskStore(first / "staged")
        publish_version(ledger, store, request("1" * 36), entries(store, SITE), now=NOW)
        entries(store, second := SITE | {"a": "Other."})
    while died:
        step += 3 if torn else 9
        place = tmp_path / str(step)
        shutil.copytree(first, place)

        def life(place: Path = place, step: int = step) -> None:
            ledger, store = open_ledger(str(place / "ledger.db")), DiskStore(place / "staged")
            given = entries(store, second)
            die_at(step, torn=torn)
            publish_version(ledger, store, request("2" * 36), given, now=NOW)

        code = child_processes.run(life)
        assert code in {0, KILLED}
        died = code == KILLED
        store = DiskStore(place / "staged")
        states.add(latest(store)["version"])
        with closing(open_ledger(str(place / "ledger.db"))) as ledger:
            assert publish_version(ledger, store, request("2" * 36), entries(store, second), now=NOW).version == 2
            with ledger.connect() as conn:
                assert [row.state for row in published_versions.list_versions(conn, DOMAIN)] == [
                    "published",
                    "published",
                ]
        assert latest(store)["version"] == 2
        shutil.rmtree(place)
    assert states == {1, 2}
    assert step > (10 if torn else 60), "it has fewer steps than it should: are they still counted?"


def test_publish_full_disk_leaves_version_before(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.publish(SITE)
    write, left = corpus.store.domains.write_new, [4]

    def full(path: str, data: bytes) -> bool:
        left[0] -= 1
        if left[0] < 0:
            raise StagingError("The staging area is full: No space left on device.")
        return write(path, data)

    monkeypatch.setattr(corpus.store.domains, "write_new", full)
    with pytest.raises(StagingError, match="is full"):
        corpus.publish(SITE | {"a": "Other."}, "2" * 36)
    assert latest(corpus.store)["version"] == 1
    monkeypatch.undo()
    assert corpus.publish(SITE | {"a": "Other."}, "2" * 36).version == 2
    assert corpus.rows() == {1: "published", 2: "published"}


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("part", ["v2/pages", "latest.json"])
def test_publish_bucket_failure_leaves_version_before(corpus: Corpus, area: Area, part: str) -> None:
    corpus.store = open_store(area.uri)
    corpus.publish(SITE)
    area.proxy.always = [Fault("503", "PUT", part)]
    with pytest.raises(StagingError, match="throttling requests"):
        corpus.publish(SITE | {"a": "Other."}, "2" * 36)
    area.proxy.always = []
    assert latest(corpus.store)["version"] == 1
    area.proxy.faults = [Fault("cut", "PUT", part)]
    assert corpus.publish(SITE | {"a": "Other."}, "2" * 36).version == 2
    assert latest(corpus.store)["version"] == 2


def test_publish_editions_in_this_test_differ() -> None:
    assert all(edition(number) != edition(number + 1) for number in range(1, 60))
