"""A worker of pytest-xdist has imported nothing itself."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest


def test_worker_is_fork_of_process_that_collected() -> None:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        pytest.skip("no worker: pytest runs without -n")
    assert b"tests.support.collected_once" in Path("/proc", str(os.getppid()), "cmdline").read_bytes()
    assert threading.current_thread() is threading.main_thread()
