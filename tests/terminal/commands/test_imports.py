"""Scrapy imports every command before it runs one: what only some jobs need must not be among that."""

from __future__ import annotations

import subprocess
import sys

import pytest

#: Seconds each, on a machine that is not busy: apprise 1.5, boto3 0.5, prometheus_client 0.1, httpx2 0.1.
HEAVY = ("apprise", "boto3", "botocore", "httpx2", "prometheus_client")
#: What commands that crawl nothing would import for nothing: a seventh of a start, and a fifth.
UNUSED = ("scrapy.core.downloader", "rori_spiders.manifest.models")
#: Prints which of UNUSED all commands bring, and which of HEAVY the other components and a job's parts do.
LOOKS = f"""
import pkgutil, sys
import rori_spiders.terminal.commands, rori_spiders.extensions, rori_spiders.pipelines
def load(package):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        __import__(module.name)
load(rori_spiders.terminal.commands)
print([name for name in sys.modules if name.startswith({UNUSED})])
load(rori_spiders.extensions)
load(rori_spiders.pipelines)
from rori_spiders.operations.alerts.channels import configured_channels
from rori_spiders.staging.store_factory import open_store
configured_channels({{}})
open_store(sys.argv[1])
print([name for name in {HEAVY} if name in sys.modules])
"""


@pytest.mark.slow
def test_commands_import_only_what_they_need(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split("\n")) == (0, ["[]", "[]", ""]), done.stderr


@pytest.mark.slow
def test_commands_that_only_forecast_import_no_staging_of_pages() -> None:
    """``collect --dry-run`` and ``tiers`` make a job, which stages nothing: a tenth of their time."""
    code = (
        "import sys; import rori_spiders.terminal.tiers, rori_spiders.terminal.manifests;"
        " print([name for name in sys.modules if name.startswith('rori_spiders.staging.verification')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


#: What pages, a browser, providers or a monitor need: not among what ``scrapy extract`` has before it asks the model.
NOT_TO_ASK = (
    *("aiohttp", "alembic", "apprise", "boto3", "bs4", "fastapi", "mammoth", "markdownify", "openai", "openpyxl"),
    *("pandas", "playwright", "pycld2", "pypdfium2", "readability", "reporters_db", "warcio", "zyte_api"),
    *("rori_spiders.corpus", "rori_spiders.monitor", "rori_spiders.nodes"),
)
#: The steps of ``terminal/commands/extract.py``: what it has when it forks, and asks; what its fetch process adds.
EXTRACTS = f"""
import importlib, sys
for step in sys.argv[1:]:
    for name in step.split(","):
        importlib.import_module(name)
    print([name for name in sys.modules if name.startswith({NOT_TO_ASK})], "twisted.internet.reactor" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps",
    [
        (
            "rori_spiders.terminal.commands.extract,rori_spiders.fields.schema,rori_spiders.fields.config,rori_spiders.llm.model",
            "rori_spiders.crawl.adhoc.forked_worker,rori_spiders.terminal.fields.extraction,httpx2",
        ),
        ("rori_spiders.crawl.adhoc.worker",),
    ],
    ids=["command", "fetch process"],
)
def test_extract_imports_little_before_its_first_request(steps: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, "-c", EXTRACTS, *steps], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["[] False"] * len(steps)), done.stderr
