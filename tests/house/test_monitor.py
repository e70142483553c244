"""The monitor looks on: it never imports Scrapy components, nor Scrapy. Only the command that starts it is Scrapy's."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from itertools import accumulate

import pytest

from tests.house.code import imports, modules

#: Imports every module of the monitor, and prints what was loaded by then.
IMPORT = """
import importlib, pkgutil, sys
import rori_spiders.monitor as monitor
for module in pkgutil.walk_packages(monitor.__path__, monitor.__name__ + "."):
    importlib.import_module(module.name)
print("\\n".join(sys.modules))
"""
FOREIGN = {"scrapy", "twisted", "scrapyd"}
#: Where components live, and the crawl's core between them, whatever a single module imports.
PACKAGES = (
    *(
        "crawl.job.job",
        "crawl.runs.lifecycle",
        "crawl.runs.recorder",
        "crawl.transport",
        "crawl.walkers",
    ),
    *("downloadermiddlewares", "extensions", "pipelines", "addon", "spidermiddlewares", "spiders"),
)


@cache
def components() -> set[str]:
    return {
        name
        for name, module in modules().items()
        if name.startswith(tuple(f"rori_spiders.{package}" for package in PACKAGES))
        or any(one.partition(".")[0] in FOREIGN for one in imports(module))
    }


def is_of_scrapy(name: str) -> bool:
    return name in components() or name.partition(".")[0] in FOREIGN


@pytest.mark.slow
def test_monitor_modules_import_no_scrapy() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert {name for name, module in modules().items() if module.room == "monitor"} <= set(loaded)
    assert not [name for name in loaded if is_of_scrapy(name)]


def test_monitor_request_imports_no_scrapy() -> None:
    """Imports inside functions too, as deep as they go."""
    by = {name: "" for name, module in modules().items() if module.room == "monitor"}
    ahead = list(by)
    while ahead:
        name = ahead.pop()
        assert not is_of_scrapy(name), f"{name}, for {by[name]}"
        for imported in imports(modules()[name]) if name in modules() else ():
            for part in accumulate(imported.split("."), "{}.{}".format):  # a module brings its packages
                if part not in by:
                    by[part] = name
                    ahead.append(part)
