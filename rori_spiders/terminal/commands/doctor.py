"""``scrapy doctor``: print the effective settings and the health checks."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from dataclasses import asdict, replace
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.setting_values import spelling_hint
from rori_spiders.exceptions import RoriError
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program, styled_stream
from rori_spiders.runtime.table_files import format_json
from rori_spiders.terminal.command import RoriCommand

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from rori_spiders.operations.doctor.checks import CheckResult
    from rori_spiders.operations.doctor.settings_report import SettingsDifferences


_COLOURS = {"ok": "\x1b[32m", "warning": "\x1b[33m", "failed": "\x1b[31m"}
_PLAIN = "\x1b[0m"
#: Lines that are longer are hard to follow.
_MAX_WIDTH = 120


def result_lines(findings: Sequence[CheckResult], *, width: int, colour: bool) -> Iterable[str]:
    """Lines ``result  check  finding``, wrapped to *width*, with what to do after an arrow."""
    name = max((len(one.check) for one in findings), default=0)
    margin = " " * (len("warning") + name + 4)
    room = max(20, width - len(margin))
    for one in findings:
        result = f"{one.result:<7}"
        if colour:
            result = f"{_COLOURS[one.result]}{result}{_PLAIN}"
        texts = [line for part in one.found.splitlines() for line in wrap(escape_one_line(part), room)] or [""]
        if one.do and one.result != "ok":
            first, *more = wrap(escape_one_line(one.do), room - 2)
            texts += [f"→ {first}", *(f"  {line}" for line in more)]
        yield f"{result}  {one.check:<{name}}  {texts[0]}".rstrip()
        yield from (f"{margin}{line}" for line in texts[1:])


def setting_lines(rows: Sequence[dict[str, Any]], *, width: int) -> Iterable[str]:
    """Lines ``name  origin  value``; long values wrap."""
    name, origin = max(len(row["setting"]) for row in rows), max(len(row["origin"]) for row in rows)
    room = max(20, width - name - origin - 4)
    for row in rows:
        first, *more = wrap(escape_one_line(row["value"]), room) or ["(empty)"]
        yield f"{row['setting']:<{name}}  {row['origin']:<{origin}}  {first}"
        yield from (f"{' ' * (name + origin + 4)}{line}" for line in more)


def difference_lines(found: SettingsDifferences) -> Iterable[str]:
    """Where settings are read from, each that differs with its default, and names that mean nothing."""
    yield f"scrapy.cfg       {found.scrapy_cfg or 'none here or in a folder above'}"
    yield f"settings module  {found.settings_module} ({found.settings_file})"
    yield f".env             {found.env_file or 'none'}"
    yield ""
    if not found.differences:
        yield "Every setting has its default."
    name = max((len(one.setting) for one in found.differences), default=0)
    origin = max((len(one.origin) for one in found.differences), default=0)
    for one in found.differences:
        default = "" if one.default is None else f"  (default: {escape_one_line(one.default) or 'empty'})"
        yield f"{one.setting:<{name}}  {one.origin:<{origin}}  {escape_one_line(one.value) or '(empty)'}{default}"
    for strange in found.unknown:
        yield f"Unknown name {strange.setting} ({strange.origin}){spelling_hint(strange.near)}"
    for unread in found.unread:
        yield f"Not read: {unread.setting} in .env: {unread.reason}"


def print_report(settings: Sequence[dict[str, Any]], findings: Sequence[CheckResult]) -> None:
    """Print settings, findings and the number of each result."""
    width = min(shutil.get_terminal_size().columns, _MAX_WIDTH)
    if settings:
        print("\n".join(setting_lines(settings, width=width)), end="\n\n")
    named = [replace(one, found=name_program(one.found), do=name_program(one.do)) for one in findings]
    lines = result_lines(named, width=width, colour=sys.stdout.isatty())
    styled_stream(sys.stdout).write("".join(f"{line}\n" for line in lines))
    number = Counter(one.result for one in findings)
    print(f"\n{number['ok']} ok, {format_count(number['warning'], 'warning')}, {number['failed']} failed.")


class Doctor(RoriCommand):
    needs_settings: ClassVar[bool] = False  # it reports invalid settings itself
    examples = (
        "scrapy doctor",
        "scrapy doctor --diff-settings",
        "scrapy doctor --fleet",
        "scrapy doctor --format json | jq '.checks[] | select(.result != \"ok\")'",
    )
    usage = "[--diff-settings | --fleet] [--format FORM]"
    summary = "Run health checks and show effective settings"
    description = (
        "Prints every setting with its origin (secrets masked), then checks database, staging area, manifest, "
        "tiers, browser, providers, clock, disk, memory and jobs, and shows how to fix each problem. Changes "
        "nothing and sends no request to publishers; a configured language model gets one short question. Exit "
        "code 1 if a check failed, 0 with warnings only."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument(
            "--fleet",
            action="store_true",
            help="check all nodes of the ledger instead of this machine: leases, backlog, objectives, budgets",
        )
        what.add_argument(
            "--diff-settings",
            action="store_true",
            help="only list the settings that differ from their defaults, and where each comes from; run no check",
        )
        parser.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.operations.doctor.check_runner import CHECKS, FLEET_CHECKS, run_checks
        from rori_spiders.operations.doctor.settings_report import effective_settings

        if opts.diff_settings:
            return self._print_differences(opts.format)
        rows = effective_settings(self.settings, os.environ)
        checks = FLEET_CHECKS if opts.fleet else CHECKS
        findings = run_checks(self.settings, closest_scrapy_cfg(), self.now(), checks)
        if opts.format == "json":
            found = [asdict(one) for one in findings]
            print(format_json({"settings": rows, "checks": found}, indent=2))
        else:
            print_report([] if opts.fleet else rows, findings)
        return int(any(one.result == "failed" for one in findings))

    def _print_differences(self, form: str) -> int:
        from rori_spiders import settings as packaged
        from rori_spiders.operations.doctor.settings_report import list_differences

        module = import_module(os.environ.get("SCRAPY_SETTINGS_MODULE") or packaged.__name__)
        found = list_differences(
            self.settings, closest_scrapy_cfg(), module, vars(packaged), also=self._header_variables()
        )
        if form == "json":
            print(format_json(found.model_dump(mode="json"), indent=2))
        else:
            print("\n".join(difference_lines(found)))
        return 0

    def _header_variables(self) -> set[str]:
        """The variables that the manifest takes its headers from; none where it cannot be read."""
        from rori_spiders.manifest.headers import header_variables

        try:
            with open_existing_ledger(self.places) as ledger:
                return set(header_variables(self.load_catalog(ledger).sources))
        except RoriError:
            return set()
