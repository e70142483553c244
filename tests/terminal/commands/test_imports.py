"""Scrapy imports every command before it runs one: what only some jobs need must not be among that."""

from __future__ import annotations

import os
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


#: What extras bring, and the modules that may need it: each is imported where its extra is asked for.
EXTRAS = ("boto3", "botocore", "bpe_openai", "httpx2", "mcp", "playwright", "psycopg", "pyarrow", "scrapyd")
NEED_EXTRAS = (
    "rori_spiders.crawl.tiers.browser.",
    "rori_spiders.evidence.delivery.bucket_copies",
    "rori_spiders.nodes.scrapyd_application",
    "rori_spiders.nodes.spiderqueue",
    "rori_spiders.staging.s3",
    "rori_spiders.terminal.comparison.mcp_server",
)
WITHOUT_EXTRAS = f"""
import importlib, pkgutil, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
import rori_spiders
left_out = ("rori_spiders.ledger.migrations", "rori_spiders.monitor.web", *{NEED_EXTRAS})
for module in pkgutil.walk_packages(rori_spiders.__path__, "rori_spiders.", onerror=lambda name: None):
    if not module.name.startswith(left_out):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error)
"""


@pytest.mark.slow
def test_modules_import_in_the_small_install() -> None:
    """`pip install rori-collector` brings no extra: what no extra is for works without one."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.slow
def test_commands_that_only_forecast_import_no_staging_of_pages() -> None:
    """``collect --dry-run`` and ``tiers`` make a job, which stages nothing: a tenth of their time."""
    code = (
        "import sys; import rori_spiders.terminal.tiers, rori_spiders.terminal.manifests;"
        " print([name for name in sys.modules if name.startswith('rori_spiders.staging.verification')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


#: What a job's own process starts without: what pages are read with, which its workers have, and what settings.py takes
#: out of Scrapy's lists. Of the latter, `redirect`, `retry` and `stats` are base classes of ours.
NOT_IN_JOB = (
    *("bs4", "markdownify", "pycld2", "re2", "readability", "reporters_db", "alembic", "playwright"),
    *("rori_spiders.content.citations", "rori_spiders.content.markdown.renderer", "rori_spiders.content.html.volatile"),
    *("rori_spiders.verdicts.wall_language", "rori_spiders.verdicts.wall_vocabulary"),
    *("scrapy.downloadermiddlewares.cookies", "scrapy.downloadermiddlewares.httpauth"),
    *("scrapy.downloadermiddlewares.offsite", "scrapy.downloadermiddlewares.robotstxt"),
    "scrapy.downloadermiddlewares.downloadtimeout",
    *("scrapy.spidermiddlewares.depth", "scrapy.spidermiddlewares.httperror", "scrapy.spidermiddlewares.metacopy"),
    *("scrapy.spidermiddlewares.urllength", "scrapy.extensions.telnet", "scrapy.extensions.remote_control"),
    *("twisted.conch", "twisted.web.server"),
)
#: Loads the components of a job as Scrapy does, its spider, and what runs both.
STARTS = f"""
import sys
from scrapy.utils.misc import load_object
from scrapy.utils.project import get_project_settings
import rori_spiders.terminal.crawl_runner, rori_spiders.spiders.sources, rori_spiders.crawl.runs.recorder
settings = get_project_settings()
for name in ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "ITEM_PIPELINES", "DOWNLOAD_HANDLERS"):
    components = settings.get_component_priority_dict_with_base(name) if name != "DOWNLOAD_HANDLERS" else None
    for path in components if components is not None else filter(None, settings[name].values()):
        load_object(path)
print([name for name in {NOT_IN_JOB} if name in sys.modules])
"""


@pytest.mark.slow
def test_job_imports_nothing_of_its_workers_nor_what_scrapy_has_unused() -> None:
    env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "rori_spiders.settings"}
    done = subprocess.run([sys.executable, "-c", STARTS], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


#: What pages, a browser, providers or a monitor need: not among what ``scrapy extract`` has before it asks the model.
NOT_TO_ASK = (
    *("aiohttp", "alembic", "apprise", "boto3", "bs4", "fastapi", "mammoth", "markdownify", "openai", "openpyxl"),
    *("pandas", "playwright", "pycld2", "pypdfium2", "re2", "readability", "reporters_db", "warcio", "zyte_api"),
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
