"""A job that runs beside the test, and that never outlives it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Mapping, Sequence

    from tests.support.project import Project


@contextmanager
def job(
    project: Project,
    *args: str,
    env: Mapping[str, str] | None = None,
    begin: Sequence[str] | None = None,
    obedient: bool = False,
) -> Iterator[subprocess.Popen[str]]:
    """``scrapy ARGS`` in progress; killed at the end of the block if it is still there."""
    with project.start(*args, env=env, begin=begin, obedient=obedient) as running:
        try:
            yield running
        finally:
            running.kill()
