"""The program `rori`: a new project in an empty folder, and its settings in any folder below."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rori_spiders.configuration.env_file import read_env_file
from rori_spiders.exceptions import UsageError

_PROGRAM = "from rori_spiders.terminal.commands import main; main()"


def _rori(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RORI_", "SCRAPY_"))}
    path = str(Path(__file__).parents[3])
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, *args],
        cwd=folder,
        env={**kept, "PYTHONPATH": path, **env},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.slow
def test_init_empty_folder_becomes_project_whose_manifest_is_valid(tmp_path: Path) -> None:
    done = _rori(tmp_path, "init", "laws")
    assert done.returncode == 0, done.stderr
    project = tmp_path / "laws"
    assert sorted(path.name for path in project.iterdir()) == [".env", ".gitignore", "manifest.json", "scrapy.cfg"]
    assert (project / ".env").stat().st_mode & 0o077 == 0
    (below := project / "notes").mkdir()
    listed = _rori(below, "sources", "--format", "csv")
    assert listed.returncode == 0, listed.stderr
    assert "cfpb-reg-1024" in listed.stdout
    assert len(listed.stdout.splitlines()) == 2
    assert not (project / "collect").exists()


def test_init_existing_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("mine", encoding="utf-8")
    done = _rori(tmp_path, "init")
    assert "Kept    manifest.json: it exists." in done.stdout
    assert (tmp_path / "manifest.json").read_text(encoding="utf-8") == "mine"


def test_rori_broken_env_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# mine\nRORI_UMASK 0077\n", encoding="utf-8")
    done = _rori(tmp_path, "list")
    assert done.returncode == 1
    assert done.stderr == "rori: .env, line 2 is not NAME=VALUE; a value with spaces needs quotes\n"


def test_rori_names_itself_in_overview_help_and_unknown_command(tmp_path: Path) -> None:
    overview = _rori(tmp_path).stdout
    assert "rori <command> [options]" in overview
    assert "scrapy <command>" not in overview
    unknown = _rori(tmp_path, "exprot")
    assert (unknown.returncode, "Did you mean 'export'?" in unknown.stdout) == (2, True)
    (program := tmp_path / "bin" / "rori").parent.mkdir()
    program.write_text(_PROGRAM, encoding="utf-8")
    path = f"{program.parent}:{os.environ['PATH']}"
    program.chmod(0o755)
    usage = subprocess.run(
        [sys.executable, str(program), "runs", "-h"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    ).stdout
    assert "  rori runs show ID\n" in usage
    assert "scrapy runs" not in usage


def test_read_env_file_has_quotes_and_comments_of_a_shell(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("# x\n\nexport A=1\nB='a b' # c\nC=\"$HOME\"\nD=\n", encoding="utf-8")
    assert read_env_file(path) == {"A": "1", "B": "a b", "C": "$HOME", "D": ""}
    path.write_text("A='\n", encoding="utf-8")
    with pytest.raises(UsageError, match="line 1"):
        read_env_file(path)
    assert read_env_file(tmp_path / "none") == {}
