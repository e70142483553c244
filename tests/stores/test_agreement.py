"""Whether ledger and staging area belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.stores import open_store
from rori_spiders.stores.agreement import check_files
from tests.envelope.made import SITE
from tests.stores.crawl import begin

if TYPE_CHECKING:
    from pathlib import Path

    from tests.stores.crawl import Job


def test_an_area_in_which_another_job_has_just_staged_is_not_empty(job: Job) -> None:
    (visit,) = begin(job, SITE)
    job.page(visit)
    check_files(job.ledger, job.store)  # the caller has found it empty a moment before


def test_an_area_whose_files_are_away_is_refused(job: Job, tmp_path: Path) -> None:
    (visit,) = begin(job, SITE)
    job.page(visit)
    with pytest.raises(StagingError, match="is empty, but 1 files were staged there"):
        check_files(job.ledger, open_store(str(tmp_path / "another")))
