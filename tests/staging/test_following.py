"""The ingestion side's example of docs/reference/envelope.md, run as it stands: nothing missed, nothing twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import SITE
from tests.house.code import docs
from tests.staging.job_driver import Job, begin

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from tests.staging.s3.fixtures import Area

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "envelope.md"


def follow(folder: Path) -> list[str]:
    """What the example prints when it is run in *folder*."""
    example = DOCUMENT.read_text().split("```python\n")[1].split("```")[0]
    done = subprocess.run([sys.executable, "-c", example], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_documented_reader_sees_each_envelope_once(ledger: Ledger, tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "collect" / "staged")
    store.check_writable()
    job = Job(ledger, store, "33333333-3333-4333-8333-333333333333")
    first, second = begin(job, SITE, SITE + "5/")
    assert follow(tmp_path) == []
    job.page(first)
    with (tmp_path / "collect" / "staged" / "_index.jsonl").open("ab") as index:
        index.write(b'{"envelope_id":"half')
    assert follow(tmp_path) == [f"new {SITE}"]
    assert follow(tmp_path) == []
    job.page(second)
    assert follow(tmp_path) == [f"new {SITE}5/"]


def test_documented_bucket_reader_sees_each_envelope_once(ledger: Ledger, area: Area, tmp_path: Path) -> None:
    job = Job(ledger, area.store(), "33333333-3333-4333-8333-333333333333")
    example = docs("staging-s3.md").split("```python\n")[1].split("```")[0]
    example = example.replace('"bucket", "prefix/"', f'"{area.name}", "staged/"')

    def follow_bucket() -> list[str]:
        command = [sys.executable, "-c", example]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()

    first, second = begin(job, SITE, SITE + "5/")
    assert follow_bucket() == []
    job.page(first)
    assert follow_bucket() == [f"new {SITE}"]
    job.page(second)
    assert follow_bucket() == [f"new {SITE}5/"]
    assert follow_bucket() == []
