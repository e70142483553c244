"""The files of deploy/: they name commands, settings, metrics and files that are there."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from rori_spiders.configuration.setting_types import SETTING_TYPES
from rori_spiders.operations.metrics import definitions
from tests.house.code import PACKAGE, REPOSITORY

DEPLOY = REPOSITORY / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
OURS = {name: one for name, one in COMPOSE["services"].items() if "build" in one}
_METRICS = {one.name for one in vars(definitions).values() if isinstance(one, definitions.MetricDefinition)}
#: Read by compose, by a service's own program, or by boto3.
_OTHERS = {"RORI_TARGET", "RORI_FIRST_PASSWORD"}


def test_compose_each_command_exists() -> None:
    texts = [json.dumps(one["command"]) for one in OURS.values()]
    commands = {found for text in texts for found in re.findall(r'scrapy(?:", "| )([a-z]+)', text)}
    assert commands == {"ledger", "monitor", "dispatch", "metrics"}
    assert all((PACKAGE / "terminal" / "commands" / f"{name}.py").is_file() for name in commands)


def test_compose_and_dockerfile_settings_exist() -> None:
    texts = [
        path.read_text("utf-8") for path in (DEPLOY / "compose.yaml", DEPLOY / "Dockerfile", DEPLOY / "cluster.env")
    ]
    named = set(re.findall(r"\bRORI_[A-Z_]+", " ".join(texts)))
    assert named - _OTHERS <= set(SETTING_TYPES)


def test_compose_own_services_are_confined() -> None:
    assert set(OURS) == {"setup", "monitor", "scheduler", "node", "node2", "metrics", "bucket"}
    for one in OURS.values():
        assert one["read_only"] and one["cap_drop"] == ["ALL"] and one["tmpfs"] == ["/tmp"]
    published = [port for one in COMPOSE["services"].values() for port in one.get("ports", ())]
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_compose_needed_services_are_of_their_profile_or_optional() -> None:
    services = COMPOSE["services"]
    for name, one in services.items():
        needed = one.get("depends_on", {})
        for other in needed:
            is_optional = isinstance(needed, dict) and needed[other].get("required") is False
            assert "profiles" not in services[other] or "profiles" in one or is_optional, (name, other)


def test_compose_mounted_files_exist() -> None:
    mounts = [each for one in COMPOSE["services"].values() for each in one.get("volumes", ()) if each.startswith(".")]
    assert all((DEPLOY / each.split(":")[0]).exists() for each in mounts)
    scrapyd = (REPOSITORY / "scrapyd.conf").read_text("utf-8")
    assert "= collect/scrapyd" in scrapyd, "what the Dockerfile replaces"


def test_dockerfile_copies_what_the_package_links_to() -> None:
    linked = {path.readlink().name for path in PACKAGE.iterdir() if path.is_symlink()}
    assert linked == {"manifests"}, "else the wheel that is built in the image lacks it, without a word"
    ignore, dockerfile = ((DEPLOY / name).read_text("utf-8") for name in ("Dockerfile.dockerignore", "Dockerfile"))
    for name in linked:
        assert f"\n!{name}\n" in ignore and f"\nCOPY {name} {name}\n" in dockerfile


def test_dashboard_names_existing_metrics() -> None:
    board = json.loads((DEPLOY / "grafana" / "dashboards" / "rori.json").read_text("utf-8"))
    named = {
        name for panel in board["panels"] for one in panel["targets"] for name in re.findall(r"rori_\w+", one["expr"])
    }
    assert named and named <= _METRICS
