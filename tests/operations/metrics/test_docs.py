"""Metrics are named as Prometheus wants, and the rules of the example name none that is not there."""

from __future__ import annotations

import re

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
    text = (REPOSITORY / "docs" / "prometheus" / "rules.yml").read_text(encoding="utf-8")
    [group] = yaml.safe_load(text)["groups"]
    for rule in group["rules"]:
        assert set(re.findall(r"rori_\w+", rule["expr"])) <= NAMES
        assert rule["annotations"]["summary"]
