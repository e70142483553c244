"""The project that a module's one crawl of hostile servers works in."""

from __future__ import annotations

import pytest

from tests.support.project import Project


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("hostile"))
