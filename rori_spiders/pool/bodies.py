"""Bodies on their way to a process."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.pool.sizes import LARGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator


class Spilled(NamedTuple):
    """A body on its way to a process, in a file: through a pipe it would be in memory five times."""

    path: str

    def taken(self) -> bytes:
        body = Path(self.path).read_bytes()
        Path(self.path).unlink()
        return body


@contextmanager
def spilling(args: tuple[object, ...], kwargs: dict[str, object]) -> Iterator[tuple[list[object], dict[str, object]]]:
    """*args* and *kwargs* with large bodies in files, which are there no longer than the work."""
    with ExitStack() as files:

        def spilled(each: object) -> object:
            if not isinstance(each, bytes) or len(each) <= LARGE_BYTES:
                return each
            handle, path = tempfile.mkstemp(prefix="rori-body-")
            files.callback(Path(path).unlink, missing_ok=True)
            with os.fdopen(handle, "wb") as file:
                file.write(each)
            return Spilled(path)

        yield [spilled(each) for each in args], {name: spilled(each) for name, each in kwargs.items()}
