"""Conversion, verdicts and citations as a library: without Scrapy, its settings or the ledger."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import json, sys
from rori_spiders.content.convert import digest
from rori_spiders.verdicts import judge
import rori_spiders.content.citations
body = b"<html><body><h1>Rule</h1><p>A servicer shall credit the payment. See 12 CFR 1024.5.</p></body></html>"
page = digest(body, url="http://a.example/")
verdict = judge(status=200, url="http://a.example/", headers={}, body=body)
heavy = {"scrapy", "twisted", "sqlalchemy", "boto3", "playwright", "fastapi", "pyarrow"} & set(sys.modules)
print(json.dumps([page.markdown, [one.canonical for one in page.citations], verdict.kind, sorted(heavy)]))
"""


def test_library_converts_and_judges_without_scrapy(tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True
    )
    text, citations, kind, heavy = json.loads(done.stdout)
    assert text.startswith("# Rule\n\nA servicer")
    assert (citations, kind, heavy) == (["12 C.F.R. § 1024.5"], "content", [])
