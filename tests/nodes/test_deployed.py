"""The two ways to bring the project to a node: the wheel, installed; and an egg, sent to a node that has the wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.monitor.web import building
from tests.nodes.node import Node
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from tests.support.server import Site

pytestmark = [pytest.mark.crawl, pytest.mark.timeout(400)]  # jobs, each a process

_REPOSITORY = Path(__file__).parents[2]
_BUILD = "from setuptools import setup; setup()"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is built: building writes beside the sources."""
    building.page()  # the copy has it, so that npm is asked once, if at all
    folder = tmp_path_factory.mktemp("checkout")
    left_out = shutil.ignore_patterns("__pycache__", "node_modules")
    shutil.copytree(_REPOSITORY / "rori_spiders", folder / "rori_spiders", ignore=left_out)
    for name in ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(_REPOSITORY / name, folder)
    return folder


@pytest.fixture(scope="module")
def installed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which pip has put the wheel."""
    target = tmp_path_factory.mktemp("installed")
    pip = ["-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target)]
    _python(checkout, *pip, str(_built(checkout, "bdist_wheel")))
    return target


def _built(checkout: Path, kind: str) -> Path:
    before = set((checkout / "dist").glob("*"))
    _python(checkout, "-W", "ignore", "-c", _BUILD, "-q", kind, "-d", "dist")
    [made] = set((checkout / "dist").glob("*")) - before
    return made


def _python(folder: Path, *args: str) -> None:
    done = subprocess.run([sys.executable, *args], cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def env(project: Project, site: Site, installed: Path) -> dict[str, str]:
    """The environment of a node that has the wheel, and nothing of the checkout."""
    site.page("/a", page("Page a"))
    project.manifest([source("a", site.at("/a"))], delay_s=0.05)
    places = {"RORI_DATABASE_URL": str(project.ledger), "RORI_STAGING": str(project.staging)}
    return {**project.env, **places, "PYTHONPATH": str(installed)}


def _collected(node: Node, project: Project, name: str) -> None:
    answer = node.post("schedule.json", project=name, spider="sources", sources="a")
    assert answer["status"] == "ok", answer
    node.wait("listjobs.json", '"finished": [{')
    crawl_output = CrawlOutput(project)
    assert crawl_output.states("a") == {"/a": "captured"}
    assert [job["outcome"] for job in crawl_output.rows("SELECT outcome FROM jobs")] == ["complete"]


def test_wheel_holds_built_page_without_its_sources(installed: Path) -> None:
    monitor = installed / "rori_spiders" / "monitor"
    start = (monitor / "page" / "index.html").read_text(encoding="utf-8")
    assets = re.findall(r'(?:src|href)="/(assets/[^"]+)"', start)
    assert {Path(name).suffix for name in assets} == {".js", ".css", ".svg"}
    assert all((monitor / "page" / name).stat().st_size for name in assets)
    assert (monitor / "application" / "app.py").exists() and not (monitor / "web").exists()


def test_wheel_runs_commands(env: dict[str, str], project: Project, site: Site) -> None:
    with Node(project.folder / "node", env) as node:
        assert set(node.get("listspiders.json", project="default")["spiders"]) >= {"a", "page", "site", "sources"}
        _collected(node, project, "default")
        assert {hit.headers["user-agent"].split()[-1] for hit in site.log.hits()} == {f"node/{node.port}"}
        assert f"The node {node.name} runs 2 jobs at once" in node.log


def test_egg_runs_before_installed_wheel(
    env: dict[str, str], project: Project, site: Site, checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (checkout / "rori_spiders" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write('\nUSER_AGENT += " egg/r1"\n')
    shutil.rmtree(checkout / "build")
    egg = _built(checkout, "bdist_egg")
    with Node(tmp_path_factory.mktemp("node"), env, cfg="") as node:
        assert node.get("listprojects.json")["projects"] == []
        added = node.upload("addversion.json", file=egg, project="rori", version="r1")
        assert (added["status"], added.get("spiders")) == ("ok", 5), added
        _collected(node, project, "rori")
    assert {hit.headers["user-agent"].split()[-1] for hit in site.log.hits()} == {"egg/r1"}
