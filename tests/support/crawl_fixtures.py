"""Sites and a project that the tests of one module share: one crawl, many things to prove by it."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.forking_python import of_interpreter
from tests.support.project import Project
from tests.support.server import Site
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["crawl_output", "forking_python", "new_site", "project", "shared"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh project folder: `project.scrapy("list")` runs a command there."""
    return Project(tmp_path)


@pytest.fixture
def forking_python(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the collector starts from the tests' process begins in a fork, not by an interpreter of its own."""
    monkeypatch.setattr(sys, "executable", project.python)
    for name, value in of_interpreter(project.env).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def crawl_output(project: Project) -> CrawlOutput:
    """What the crawls of the test's own project left."""
    return CrawlOutput(project)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project of this module's one crawl."""
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def new_site() -> Iterator[Callable[[], Site]]:
    """Call it for a site on an address of its own; it serves until the module's tests are done."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(Site(next_address()))
