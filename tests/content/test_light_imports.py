"""What other programs take from this package as a library starts without Scrapy, the database and the cloud."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
import rori_spiders.content.convert, rori_spiders.content.citations, rori_spiders.verdicts
heavy = {"scrapy", "twisted", "sqlalchemy", "alembic", "boto3", "botocore", "fastapi", "aiohttp", "apprise", "openpyxl"}
print(*sorted(heavy & set(sys.modules)))
"""


def test_content_and_verdicts_import_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
