"""Metrics are named as Prometheus wants, and the rules of the example name none that is not there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from rori_spiders.operations.metrics import definitions
from tests.house.code import REPOSITORY

FAMILIES = [value for value in vars(definitions).values() if isinstance(value, definitions.MetricDefinition)]
NAMES = {one.name for one in FAMILIES} | {definitions.RUN_SECONDS}


def test_metrics_names_follow_prometheus_rules() -> None:
    for family in FAMILIES:
        assert re.fullmatch(r"rori_[a-z_]+", family.name)
        assert family.name.endswith("_total") == (family.kind == "counter"), family.name


def test_metrics_example_rules_use_existing_names() -> None:
    for rule in _rules():
        assert set(re.findall(r"\brori_\w+", rule["expr"])) <= NAMES


def test_metrics_example_rules_name_a_section_that_says_what_to_do() -> None:
    guide = (REPOSITORY / "docs" / "how-to" / "respond-to-alerts.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", guide, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-"): heading for heading in headings}
    for rule in _rules():
        if "alert" in rule:
            page, anchor = rule["annotations"]["runbook_url"].split("#")
            assert page == "https://rori.dev/collector/how-to/respond-to-alerts.html"
            assert anchor in anchors, rule["alert"]
            assert rule["annotations"]["summary"]


@pytest.mark.slow
def test_metrics_example_rules_fire_as_their_own_tests_say() -> None:
    promtool = shutil.which("promtool", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert promtool, "`make promtool` fetches the program that tests the rules"
    tests = REPOSITORY / "docs" / "prometheus" / "rules_test.yml"
    done = subprocess.run([promtool, "test", "rules", tests], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _rules() -> list[dict[str, Any]]:
    text = (REPOSITORY / "docs" / "prometheus" / "rules.yml").read_text(encoding="utf-8")
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]
