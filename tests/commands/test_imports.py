"""Scrapy imports every command before it runs one: what only some jobs need must not be among that."""

from __future__ import annotations

import subprocess
import sys

#: Seconds each, on a machine that is not busy: apprise 1.5, boto3 0.5, prometheus_client 0.1, openai 2.
HEAVY = ("apprise", "boto3", "botocore", "openai", "prometheus_client")
LOOKS = """
import pkgutil, sys
import rori_spiders.commands, rori_spiders.extensions, rori_spiders.pipelines
for package in (rori_spiders.commands, rori_spiders.extensions, rori_spiders.pipelines):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        __import__(module.name)
from rori_spiders.operations.alerts.channels import configured_channels
from rori_spiders.staging.store_factory import open_store
configured_channels({})
open_store(sys.argv[1])
print(*(name for name in sys.argv[2:] if name in sys.modules))
"""


def test_commands_import_only_what_they_need(tmp_path: object) -> None:
    words = [sys.executable, "-c", LOOKS, str(tmp_path), *HEAVY]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_commands_when_imported_leave_downloader_and_manifest_models_out() -> None:
    """The downloader takes a seventh of a start, which commands that do not crawl would spend for nothing; the models
    of manifests take a fifth.
    """
    code = (
        "import importlib, pkgutil, sys; import rori_spiders.commands as commands; prefix = commands.__name__ + '.';"
        " [importlib.import_module(one.name) for one in pkgutil.iter_modules(commands.__path__, prefix)];"
        " print([name for name in sys.modules if name.startswith('scrapy.core.downloader')"
        " or name == 'rori_spiders.manifest.models'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_commands_that_only_forecast_import_no_staging_of_pages() -> None:
    """``collect --dry-run`` and ``tiers`` make a job, which stages nothing: a tenth of their time."""
    code = (
        "import sys; import rori_spiders.terminal.tiers, rori_spiders.terminal.manifests;"
        " print([name for name in sys.modules if name.startswith('rori_spiders.staging.verification')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
