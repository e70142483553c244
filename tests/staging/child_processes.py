"""Functions run in a child process, as another user or until they are killed."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: How a child says that its function raised.
RAISED = 99
NOBODY = 65534


def start(function: Callable[[], None], *, as_nobody: bool = False) -> int:
    """Run *function* in a child; gives its process id."""
    sys.stdout.flush()
    with warnings.catch_warnings():
        # Python 3.12 and later warn when the test runner has threads of its own; the child uses none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        return child
    try:
        if as_nobody and os.geteuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        function()
    except BaseException:
        traceback.print_exc()
        os._exit(RAISED)
    os._exit(0)


def end(child: int) -> int:
    """Wait for it; gives its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(function: Callable[[], None], *, as_nobody: bool = False) -> int:
    return end(start(function, as_nobody=as_nobody))
