"""Marks each test by what it starts, so that `make test-fast` can leave out what takes long.

A test is marked by the fixtures that it asks for, or by where it lies; by hand only where neither tells. Files with
such tests come first, so that no worker has one of them left when the others have ended.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_TESTS = Path(__file__).parents[1]
#: A project that collects from a site.
_PROJECTS = {"project", "shared"}
_SITES = {"site", "sites", "new_site"}
#: Fixtures that collect for many tests, a quarter of a minute on two idle cores, or wait for a worker that does; and a
#: real model, whose answers take 20 CPU seconds a test: on two cores at a load of 17 that was 112 s of wall time.
_SLOW_FIXTURES = {"collected", "guide_of_session", "small_model"}
_PATIENCE_S = 600
#: Files and folders of tests that take seconds each: kills at every step, whole months, pages made to take long, all
#: routes asked what nobody would, hundreds of false cleanings, interpreters that import everything.
_SLOW = (
    "content/documents/test_pdf_ocr.py",
    "content/test_pathological.py",
    "corpus/guards/test_judgement.py",
    "corpus/publishing/test_kills.py",
    "corpus/publishing/test_loader.py",
    "envelope/test_processing.py",
    "fields/test_injections.py",
    "fields/test_planted.py",
    "ledger/test_processes.py",
    "monitor/accounts/test_users_command.py",
    "monitor/application/test_api_fuzzing.py",
    "monitor/web",
    "nodes",
    "operations/alerts/test_two_nodes.py",
    "schedule/test_month.py",
    "staging/s3",
    "staging/test_error_log.py",
    "staging/test_field_log.py",
    "staging/test_ingestion.py",
    "staging/test_kill_points.py",
    "staging/test_retention.py",
    "staging/test_transfer.py",
    "staging/verification/test_verify.py",
    "workers",
)

#: Markers of the tests that begin first, each file's together.
_LONG = {"browser", "crawl", "model", "slow"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    assert all((_TESTS / path).exists() for path in _SLOW), (
        "a slow file or folder that is gone: tests/support/markers.py"
    )
    for item in items:
        for name in _markers(item):
            item.add_marker(name)
        if _SLOW_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.timeout(_PATIENCE_S))
    first = {item.path for item in items if any(mark.name in _LONG for mark in item.iter_markers())}
    items.sort(key=lambda item: item.path not in first)


def _markers(item: pytest.Item) -> Iterator[str]:
    fixtures = set(getattr(item, "fixturenames", ()))
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if fixtures & _PROJECTS and fixtures & _SITES:
        yield "crawl"
    if "cluster" in fixtures or "postgresql" in parameters.values():
        yield "postgresql"
    if "chromium" in fixtures:
        yield "browser"
    if "small_model" in fixtures:
        yield "model"
    if "s3_port" in fixtures or str(parameters.get("store")).startswith("s3"):
        yield "s3"
    path = item.path.relative_to(_TESTS).as_posix()
    if path.startswith(_SLOW):
        yield "slow"
