"""``scrapy doctor``: the settings as they hold, and whether all that a collection needs is there and well."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, ClassVar

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.doctor.examining import effective, examine
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.doctor import print_report

if TYPE_CHECKING:
    import argparse


class Doctor(RoriCommand):
    needs_settings: ClassVar[bool] = False  # what is wrong with them is what it tells
    examples = ("scrapy doctor", "scrapy doctor --format json | jq '.checks[] | select(.result != \"ok\")'")

    def syntax(self) -> str:
        return "[--format FORM]"

    def short_desc(self) -> str:
        return "Show the settings as they hold, and check what a collection needs"

    def long_desc(self) -> str:
        return (
            "Every setting with where it comes from, secrets masked; then database, staging, manifest, tiers, browser, "
            "providers, clock, disk, memory, jobs and what they left, each with what to do about it. Nothing is "
            "changed, no publisher is asked; a language model, where one is named, is asked one tiny question. Exit "
            "code 1 when something failed; warnings alone are 0."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")

    def answer(self, opts: argparse.Namespace) -> int:
        assert self.settings is not None
        rows = effective(self.settings, os.environ)
        findings = examine(self.settings, closest_scrapy_cfg(), self.now())
        if opts.format == "json":
            checks = [asdict(one) for one in findings]
            print(json.dumps({"settings": rows, "checks": checks}, indent=2, ensure_ascii=False))
        else:
            print_report(rows, findings)
        return int(any(one.result == "failed" for one in findings))
