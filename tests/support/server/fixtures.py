"""The fixtures `site`, `sites` and `chat_server`: servers on loopback addresses that no other test worker uses."""

from __future__ import annotations

import os
from contextlib import ExitStack
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.support.server.chat import Chat
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["chat_server", "site", "sites"]

_taken = count()


def next_address() -> str:
    """A loopback address for one site: the third number is the worker's, the fourth goes round."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return f"127.0.{worker + 1}.{next(_taken) % 250 + 1}"


@pytest.fixture
def sites() -> Iterator[Callable[[int], list[Site]]]:
    """Call it with a number: so many sites, each on its own address."""
    with ExitStack() as opened:
        yield lambda number: [opened.enter_context(Site(next_address())) for _ in range(number)]


@pytest.fixture
def site(sites: Callable[[int], list[Site]]) -> Site:
    """One site on an address of its own."""
    return sites(1)[0]


@pytest.fixture(scope="module")
def chat_server() -> Iterator[Chat]:
    """A chat server of the module's, on an address of its own."""
    with Chat(next_address()) as opened:
        yield opened
