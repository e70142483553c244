"""The check of commit messages, and that the hooks of .pre-commit-config.yaml find their tools."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import yaml

from tests.house.code import REPOSITORY
from tests.support.cases import cases

problems_of = runpy.run_path(str(REPOSITORY / ".ci" / "commit_message.py"))["problems_of"]
WHY = "\n\nA wall of this kind was taken for a page.\n"


@cases(
    "message",
    [
        f"verdicts: detect consent walls{WHY}",
        f"llm, tiers: keep one ring of API keys{WHY}",
        f"tests: embed the font{WHY}# lines of git's own do not count",
        "Merge branch 'next'",
        "fixup! verdicts: detect consent walls",
    ],
)
def test_commit_message_valid_form_passes(message: str) -> None:
    assert problems_of(message) == []


@cases(
    ("message", "problem"),
    [
        (f"verdicts: {'x' * 63}{WHY}", "The subject has 73 characters; at most 72 are allowed."),
        (f"detect consent walls{WHY}", "The subject must read"),
        (f"Verdicts: detect consent walls{WHY}", "The subject must read"),
        (f"verdicts: detect consent walls.{WHY}", "The subject must read"),
        (f"verdicts: detected consent walls{WHY}", "must begin with an imperative (`add`, `fix`), not 'detected'"),
        (f"verdicts: adds consent walls{WHY}", "must begin with an imperative (`add`, `fix`), not 'adds'"),
        ("verdicts: detect consent walls\nbecause\n", "The second line must be empty."),
        ("verdicts: detect consent walls\n", "The body is missing: say why."),
    ],
)
def test_commit_message_other_form_is_refused_with_reason(message: str, problem: str) -> None:
    assert any(problem in one for one in problems_of(message))


def test_commit_hook_tools_exist() -> None:
    [local] = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    for hook in local["hooks"]:
        for word in hook["entry"].split():
            if word.startswith(".venv/bin/"):
                assert (Path(sys.executable).parent / Path(word).name).exists(), f"{hook['id']}: {word}"
            elif "/" in word:
                assert (REPOSITORY / word).exists(), f"{hook['id']}: {word}"
