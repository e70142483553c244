"""``scrapy corpus`` over a site of real pages: two full runs, with edits, removals and overrides between.

`python -m benchmarks.corpus_twice` does the same with 200 pages, a draft, a redesign, a rollback, and models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.two_rounds.driver import Drive
from tests.corpus.two_rounds.material import materials
from tests.corpus.two_rounds.rounds import drive_twice, first_round, second_round

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl

PAGES = 20


def test_corpus_two_versions_match_their_scripts(tmp_path: Path, site: Site) -> None:
    drive = Drive(tmp_path, site, materials((), PAGES))
    assert len(drive_twice(drive, PAGES, (first_round, second_round))) == 2
