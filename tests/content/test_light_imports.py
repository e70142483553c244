"""What other programs take from this package as a library starts without Scrapy, the database and the cloud."""

from __future__ import annotations

import pickle
import subprocess
import sys

from rori_spiders.content.convert import digest

_PROGRAM = """
import sys
import rori_spiders.content.convert, rori_spiders.content.citations, rori_spiders.verdicts
heavy = {"scrapy", "twisted", "sqlalchemy", "alembic", "boto3", "botocore", "fastapi", "aiohttp", "apprise", "openpyxl"}
print(*sorted(heavy & set(sys.modules)))
"""


def test_content_and_verdicts_import_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


_UNPICKLING = """
import pickle, sys
page = pickle.load(sys.stdin.buffer)
print(len(page.citations), *(name for name in sys.modules if name.startswith("rori_spiders.content.citations")))
"""


def test_converted_page_unpickled_without_what_finds_citations() -> None:
    page = digest(b"<h1>Escrow</h1><p>See 12 CFR 1024.17(b).</p>", url="https://agency.gov/a", content_type="text/html")
    command = [sys.executable, "-c", _UNPICKLING]
    done = subprocess.run(command, input=pickle.dumps(page), capture_output=True, check=True)
    assert done.stdout.split() == [b"1"]
