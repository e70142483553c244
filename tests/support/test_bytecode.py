"""What is made for the workers of pytest-xdist is what they look for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from _pytest.assertion import rewrite

from tests.support import bytecode

if TYPE_CHECKING:
    from pathlib import Path


def test_bytecode_of_test_is_found_by_pytest_until_it_changes(tmp_path: Path) -> None:
    written = tmp_path / "test_one.py"
    written.write_text("assert 1 + 1 == 2\n", encoding="utf-8")
    (path,) = bytecode._test_files([f"{tmp_path}::test_named"])
    bytecode._rewrite(path)
    made = rewrite.get_cache_dir(written) / f"test_one{rewrite.PYC_TAIL}"
    assert rewrite._read_pyc(written, made) is not None
    written.write_text("assert 2 + 1 == 3\n", encoding="utf-8")
    assert rewrite._read_pyc(written, made) is None
