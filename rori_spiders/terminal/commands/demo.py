"""``scrapy demo``: serve a small site of real regulation text on loopback, collect it, report the result."""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.child_processes import scrapy_command
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.demo.settings import HOST, PORT, apply_demo_settings
from rori_spiders.terminal.listing import print_hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.staging.store import Store

_USER = "demo"
_STEPS = (
    (["demo"], "serve a small site on this machine, and collect it"),
    (["demo", "--edit"], "change one figure of a page, and collect again"),
)
_NEXT = (
    ("scrapy changes --format md", "the same change at the terminal"),
    ("scrapy manifest add URL --to manifest.json", "propose a source of your own"),
    ("scrapy collect", "collect what is due"),
)


class Demo(RoriCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    examples = ("scrapy demo", "scrapy demo --edit", "scrapy demo --monitor")
    usage = "[--edit | --monitor]"
    summary = "Collect a small local demo site of real regulation text and explain the result"
    description = (
        "Serves the site on 127.0.0.1, collects it with the packaged manifest `demo`, and reports which pages were "
        "staged where, and which were refused and why. Your active manifests are not changed. --monitor does it all: "
        "it collects, changes a figure, collects again, and shows the change in a browser."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument(
            "--edit", action="store_true", help="first change one figure on one page, to see a change detected"
        )
        ways.add_argument(
            "--monitor",
            action="store_true",
            help="collect, change a figure, collect again, and serve the monitor with the change until Ctrl-C",
        )
        parser.add_argument("--before-monitor", action="store_true", help=argparse.SUPPRESS)  # a step of --monitor

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.extensions.progress import quiet_logging_at_terminal

        super().process_options(args, opts)
        self.folder = apply_demo_settings(self.settings)
        if not (opts.loglevel or opts.logfile):
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")  # the report replaces the log
        quiet_logging_at_terminal(self.settings, log_asked_for=bool(opts.loglevel or opts.logfile))

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.monitor:
            return self._show_in_monitor(opts.set or [])
        from rori_spiders.terminal.crawl_runner import exit_code
        from rori_spiders.terminal.demo.server import serve_folder
        from rori_spiders.terminal.demo.working_copy import edit_figure, prepare_site

        store = open_store(self.places.staging)  # refused outside a project, before anything is changed or served
        site = prepare_site(self.folder / "site")
        edited = edit_figure(site) if opts.edit else None
        try:
            with serve_folder(site, HOST, PORT) as base:
                print(f"Serving a small site of real regulation text at {base} and collecting it.")
                if edited is not None:
                    print(f"Changed one figure on {edited.page} first:\n  - {edited.before}\n  + {edited.after}")
                print(flush=True)
                job = self._collect()
        except OSError as error:
            raise ActionRefused(f"Cannot serve the demo site on {HOST}:{PORT}: {error.strerror}.") from error
        if job.refused is not None or job.failure is not None:
            raise job.refused or job.failure or AssertionError
        self._print_summary(job, store)
        if not opts.before_monitor:
            print_hint("Monitor:      scrapy demo --monitor")
        return exit_code(job) if job.locked_sources or not job.ended else 0

    def _show_in_monitor(self, typed: Sequence[str]) -> int:
        """Run the other commands one after the other, each a process of its own: Scrapy's reactor runs once."""
        more = [word for one in typed for word in ("-s", one)]
        began = monotonic()
        for number, (words, what) in enumerate(_STEPS, 1):
            print(f"--- {number} of 3: {what}\n", flush=True)
            done = subprocess.run(scrapy_command([*words, "--before-monitor", *more]), check=False)  # noqa: S603  # our own program
            if done.returncode:
                return done.returncode
            print(flush=True)
        password = self._add_user()
        print(f"--- 3 of 3: the change in a browser ({monotonic() - began:.0f} s so far)\n")
        print_hint(f"Sign in as {_USER} with the password {password} (`scrapy monitor users remove {_USER}` ends it).")
        print(
            "Press j and k to go through the changes, o to open the difference, a to call one material. "
            "Then, in this folder:"
        )
        steps = [(name_program(command), next_what) for command, next_what in _NEXT]
        width = max(len(command) for command, _ in steps)
        for command, next_what in steps:
            print(f"  {command:{width}}  {next_what}")
        print(flush=True)
        return _replace_process(["monitor", "--demo", *more])

    def _add_user(self) -> str:
        """A user of the monitor for this demo, with a new password, which is returned."""
        from rori_spiders.ledger.operations.accounts import find_user
        from rori_spiders.monitor.accounts.user_management import UserManager

        password = secrets.token_urlsafe(12)
        with open_ledger(self.places.database_url) as ledger:
            with ledger.connect() as conn:
                is_there = find_user(conn, _USER) is not None
            users = UserManager(ledger, self.person(), self.now())
            if is_there:
                users.set_password(_USER, password)
            else:
                users.add(_USER, "operator", password)
        return password

    def _collect(self) -> Job:
        from rori_spiders.manifest.loading import load_packaged
        from rori_spiders.terminal.crawl_runner import run_sources

        ids = [source.id for source in load_packaged("demo", allowed_addresses=(f"{HOST}:{PORT}",)).manifest.sources]
        return run_sources(self.settings, ids)

    def _print_summary(self, job: Job, store: Store) -> None:
        from rori_spiders.terminal.demo.report import demo_report_lines, next_commands, read_staged

        with open_ledger(self.places.database_url) as ledger, ledger.connect() as conn:
            run_ids = [ended.run.run_id for ended in job.ended]
            staged = read_staged(conn, run_ids)
            for line in demo_report_lines(conn, store, run_ids, staged):
                print(line)
        print(f"\nStaged files: {self.places.staging}\nLedger:       {self.places.shown_ledger}")
        print_hint(f"Next:         {next_commands(staged)}; scrapy audit, scrapy verify")


def _replace_process(words: Sequence[str]) -> NoReturn:
    """Go on as ``scrapy WORDS``: Ctrl-C is then the monitor's alone."""
    os.execv(sys.executable, scrapy_command(words))  # noqa: S606
