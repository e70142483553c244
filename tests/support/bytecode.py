"""The bytecode of the tests, and of what they test, made once before the workers of pytest-xdist begin.

In a new checkout each of them would rewrite the assertions of all tests, at the same time: ten CPU seconds a worker.
"""

from __future__ import annotations

import compileall
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from _pytest.assertion import rewrite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE = Path(__file__).parents[2] / "rori_spiders"
#: Files that one process takes at a time.
_CHUNK = 8
#: For pytest's own hook: who cannot write, makes it anew.
_SILENT: Any = SimpleNamespace(trace=lambda message: None)


def make_bytecode(args: Sequence[str]) -> None:
    """Make what is missing or out of date, of the package and of the tests that *args* name."""
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        package = pool.submit(compileall.compile_dir, str(_PACKAGE), quiet=2)
        for _ in pool.map(_rewrite, sorted(set(_test_files(args))), chunksize=_CHUNK):
            pass
        package.result()


def _test_files(args: Sequence[str]) -> Iterator[Path]:
    for arg in args:
        path = Path(arg.partition("::")[0]).absolute()
        yield from path.rglob("test_*.py") if path.is_dir() else [path]


def _rewrite(path: Path) -> None:
    """Do with the file at *path* what pytest does when it imports it, and where it will look for it."""
    folder = rewrite.get_cache_dir(path)
    made = folder / f"{path.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(path, made) is None and rewrite.try_makedirs(folder):
        source_hash, code = rewrite._rewrite_test(path, None)  # type: ignore[arg-type]  # only for a hook that we lack
        rewrite._write_pyc(_SILENT, code, source_hash, made)
