"""Fixtures that every room's tests may use: sites, buckets, databases, a Scrapy project in a folder."""

from __future__ import annotations

import gc
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from tests.staging.s3.fixtures import area, hurried, s3_port
from tests.support.collected_once import pytest_xdist_setupnodes
from tests.support.command_client import share_servers
from tests.support.crawl_fixtures import crawl_output, forking_python, new_site, project, shared
from tests.support.databases import (
    cluster,
    database_url,
    dialect,
    ledger,
    postgresql,
    pytest_generate_tests,
)
from tests.support.markers import pytest_collection_modifyitems
from tests.support.schema_cache import share_comparisons
from tests.support.server.fixtures import chat_server, site, sites
from tests.support.statement_cache import share_statements

if TYPE_CHECKING:
    from collections.abc import Generator

__all__ = [
    "area",
    "chat_server",
    "cluster",
    "crawl_output",
    "database_url",
    "dialect",
    "forking_python",
    "hurried",
    "ledger",
    "new_site",
    "postgresql",
    "project",
    "pytest_collection",
    "pytest_collection_modifyitems",
    "pytest_generate_tests",
    "pytest_xdist_setupnodes",
    "s3_port",
    "shared",
    "site",
    "sites",
]

# A shell starts a background job (`make test &`) with both ignored, and children inherit that: a crawl that
# a test interrupts would go on. What has a handler here has the default in each program started.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# `jsonschema` imports it for the formats `iri` and `iri-reference`, which no schema of ours has: 38 grammars, a fifth
# of what collecting the tests takes. That none has is held in tests/envelope/test_building.py.
vars(sys)["modules"]["rfc3987_syntax"] = None

share_servers()
share_statements()
share_comparisons()

# What is imported and collected stays to the end of the session: looking for garbage in it costs a fifth of the
# collection, and again while the tests run.
gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
