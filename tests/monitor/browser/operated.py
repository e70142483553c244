"""A project for tests that act: nothing is collected, jobs only wait, and the ledger names the manifest in force."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.monitor.browser.serving import add_user, serving
from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


def operated(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the users `viewer` and `operator`, on which nobody has acted yet."""
    project = Project(tmp_path_factory.mktemp("operated"))
    project.env["RORI_MONITOR_EXECUTOR"] = "queue"
    for role in ("viewer", "operator"):
        add_user(project, role, role)
    return project


@contextmanager
def fixed(project: Project, manifest: str) -> Iterator[str]:
    """The address of another monitor over *project*, which was started with the file *manifest* in RORI_MANIFEST."""
    project.env["RORI_MANIFEST"] = manifest
    try:
        with serving(project) as address:
            yield address
    finally:
        del project.env["RORI_MANIFEST"]
