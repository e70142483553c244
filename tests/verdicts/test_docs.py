"""What docs say of verdicts is what the code does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import verdicts
from benchmarks.verdict_labels import LABELS
from rori_spiders.verdicts import KINDS
from tests.verdicts import pages

if TYPE_CHECKING:
    import pytest

DOCS = Path(__file__).parents[2] / "docs" / "reference"


def test_verdict_documentation_names_every_kind_and_label() -> None:
    text = (DOCS / "verdicts.md").read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in text] == []
    rows = {line.split(" | ")[0][2:]: line for line in text.splitlines() if line.startswith("| ")}
    assert [label for label, kinds in LABELS.items() if f"`{kinds[0]}`" not in rows.get(label, "")] == []


def test_verdict_benchmark_prints_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wall.html").write_bytes(pages.page(("title", "403 Forbidden")))
    (tmp_path / "missed.html").write_bytes(pages.page(("title", "Rules"), body=pages.LONG))
    (tmp_path / "good.html").write_bytes(pages.page(("title", "Rules"), body=pages.LONG))
    (tmp_path / "alarm.html").write_bytes(pages.page(("title", "Just a moment...")))
    (tmp_path / "index.tsv").write_text(
        "file\tlabel\thttp_status\theaders\toriginal_url\n"
        "wall.html\tgeneric-403-forbidden\t403 (usual)\tserver: x; x-a: b; c=d\thttps://www.example.gov/\n"
        "missed.html\tlogin-wall\t\t\t\n"
        "good.html\tneg-short-legit-page\t\t\t\n"
        "alarm.html\tneg-noscript-banner\t\t\t\n"
    )
    assert [page.status for page in verdicts.pages(tmp_path)] == [403, 200, 200, 200]
    assert next(verdicts.pages(tmp_path)).headers == {"server": "x", "x-a": "b; c=d"}
    assert verdicts.main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "ours: told 1 of 2 (50.0%), of them refusals 1 of 2 (50.0%); good pages not called content 1 of 2" in printed
    assert "missed.html: content" in printed
    assert "alarm.html: challenge" in printed
    assert "cloudflare-just-a-moment at title:0" in printed
    assert "login_wall told as content: 1" in printed
