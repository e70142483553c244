"""`scrapy completion`: what bash offers where, and that the other scripts name the same."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from rori_spiders.terminal.commands.completion import list_places, render_bash, render_fish, render_zsh

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def bash_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "rori.bash"
    path.write_text(render_bash(dict(list_places())), "utf-8")
    return path


def test_completion_bash_offers_commands_verbs_options_and_values(bash_script: Path) -> None:
    cases = {
        "expo": {"export"},
        "export cha": {"changes"},
        "export changes --form": {"--format"},
        "export changes --format ": {"jsonl", "csv", "parquet", "sqlite"},
        "export --nothing changes --since-c": {"--since-cursor"},
        "completion z": {"zsh"},
        "completion zsh ": set(),  # no second shell
        "completion zsh --nol": {"--nolog"},
        "lis": {"list"},
        "craw": {"crawl"},
        "shel": {"shell"},
        "export ": {"evidence", "warc", "changes", "versions", "pages", "audit", "envelopes", "citations"},
        "changes --importance ": {"high", "medium", "low"},  # of the verb that runs where none is given
        "import warc ": set(),  # files
    }
    lines = [f"source {bash_script}"]
    for typed in cases:
        words = ["rori", *typed.split(" ")]
        quoted = " ".join(f"'{word}'" for word in words)
        lines += [f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _rori; echo ${{COMPREPLY[*]}}"]
    done = subprocess.run(["bash", "-uc", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert [set(line.split()) for line in done.stdout.splitlines()] == list(cases.values())


def test_completion_fish_names_each_word_with_its_help() -> None:
    places = dict(list_places())
    script = render_fish(places)
    for path, place in places.items():
        assert not path or f"'{path}'" in script
        assert all(word.lstrip("-") in script for word in (*place.verbs, *place.options))
    at = "complete -c rori -n '__rori_at \\'export"
    assert f"{at}\\'' -f -a 'changes' -d 'write what changed" in script
    assert f"{at} changes\\'' -l output -rF -d 'file to write" in script


def test_completion_zsh_names_each_word_with_its_help() -> None:
    script = render_zsh(dict(list_places()))
    assert "  'export') found=('evidence:write one case as a WACZ file' 'warc:" in script
    assert "'--format:format (default: that of the file'\\''s ending)'" in script
    assert "  'export changes --format') found=('jsonl' 'csv' 'parquet' 'sqlite') ;;" in script
