"""Whether ledger and staging area belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from rori_spiders.staging.consistency import check_no_staged_files
from rori_spiders.staging.store_factory import open_store
from tests.envelope.factories import SITE
from tests.staging.job_driver import begin

if TYPE_CHECKING:
    from pathlib import Path

    from tests.staging.job_driver import Job


def test_staging_area_is_not_empty_after_other_job_staged(job: Job) -> None:
    (visit,) = begin(job, SITE)
    job.page(visit)
    check_no_staged_files(job.ledger, job.store)  # the caller has found it empty a moment before


def test_staging_area_without_its_files_is_refused(job: Job, tmp_path: Path) -> None:
    (visit,) = begin(job, SITE)
    job.page(visit)
    with pytest.raises(StagingError, match="lists 1 files staged there"):
        check_no_staged_files(job.ledger, open_store(str(tmp_path / "another")))
