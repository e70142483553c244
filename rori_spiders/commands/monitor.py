"""``scrapy monitor``: the web page for operators, and the people who may use it."""

from __future__ import annotations

import getpass
import sys
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.log import configure_logging

from rori_spiders.configuration.locations import project_folder
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option
from rori_spiders.terminal.demo import HOST, PORT, apply_demo_settings
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from rori_spiders.ledger.operations import accounts as operations_accounts
    from rori_spiders.monitor.accounts.user_management import UserManager
    from rori_spiders.monitor.state.dependencies import AppState

_ADD = "scrapy monitor users add NAME --role operator"
# Scrapy's priority of `-s NAME=VALUE`.
_CMDLINE = 40
COLUMNS = (
    Column("name", "name"),
    Column("role", "role", colours=(("operator", "green"),)),
    Column("password", "password set (UTC)"),
    Column("created_at", "made (UTC)"),
    Column("seen_at", "last seen (UTC)"),
)


class Monitor(RoriCommand):
    examples = (
        "scrapy monitor                                       until Ctrl-C",
        "scrapy monitor --demo                                what `scrapy demo` has collected",
        "scrapy monitor users add anna --role operator        asks for the password",
        "scrapy monitor users add ben --role viewer < file    reads it from standard input",
        "scrapy monitor users list",
        "scrapy monitor users role ben --role operator",
        "scrapy monitor users password ben",
        "scrapy monitor users remove ben",
    )
    usage = "[--demo] | users add|list|remove|password|role [NAME] [--role ROLE]"
    summary = "Serve the web page for operators; say who may use it"
    description = (
        "Serves the page at http://127.0.0.1:8650 until Ctrl-C: how the sources stand, what changed, what failed "
        "and why, what runs; operators also run, pause and cancel. `users` says who may sign in: viewers look, "
        "operators act. A password is asked for, or read from standard input; never given on the command line."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="of the demo's sources, with its site served here")
        verbs = Subcommands(parser, required=False)
        _add_user_verbs(verbs.add("users", "manage the users who may sign in"))

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        self.demo = apply_demo_settings(self.settings) if opts.demo and opts.verb is None else None

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import accounts as operations_accounts

        if opts.verb == "users":
            if opts.demo:
                raise UsageError("--demo is for the page: users are those of the ledger, whatever it shows")
            with closing(open_ledger(self.places.database_url)) as ledger:
                if opts.action == "list":
                    with ledger.connect() as conn:
                        return _print_users(operations_accounts.list_users(conn), opts.format)
                from rori_spiders.monitor.accounts.user_management import UserManager

                return _change_users(UserManager(ledger, self.person(), self.now()), opts)
        if self.demo is None:
            return self._serve()
        from rori_spiders.demo.server import serve_folder
        from rori_spiders.demo.working_copy import prepare_site

        try:
            with serve_folder(prepare_site(self.demo / "site"), HOST, PORT):
                return self._serve()
        except OSError as error:
            raise UsageError(f"the demo site cannot be served on {HOST}:{PORT}: {error.strerror}") from error

    def _serve(self) -> int:
        # Scrapy imports each command to list it: what only this one needs is imported here.
        from rori_spiders.monitor.application.app import create_app
        from rori_spiders.monitor.application.server import open_socket, run_server, server_url
        from rori_spiders.monitor.control.job_runner import JobRunner
        from rori_spiders.monitor.corpus.workers import CorpusWorkers
        from rori_spiders.monitor.state.dependencies import AppState

        assert self.settings is not None
        root = project_folder(closest_scrapy_cfg())
        configure_logging(self.settings)
        with closing(AppState(self.places, self.settings, root, now=self.now)) as served:
            has_users = _has_users(served)
            served.warm()
            with closing(open_socket(served.terms)) as listening:
                url = server_url(listening)
                typed = _typed_settings(self.settings)
                runner = JobRunner(served, typed) if served.runs_here else None
                workers = CorpusWorkers(served, typed) if served.works_on_corpora else None
                with runner or nullcontext(), workers or nullcontext():
                    app = create_app(served, runner, workers)
                    run_server(app, listening, lambda: _print_address(served, url, has_users=has_users))
        return 0


def _typed_settings(settings: BaseSettings) -> dict[str, str]:
    """What was set by ``-s``: the jobs that start here must have it, too."""
    typed = (name for name in map(str, settings) if (settings.getpriority(name) or 0) >= _CMDLINE)
    return {name: str(settings[name]) for name in typed if name.startswith("RORI_") and "_MONITOR_" not in name}


def _has_users(served: AppState) -> bool:
    from rori_spiders.ledger.operations import accounts as operations_accounts

    with served.ledger.connect() as conn:
        number = operations_accounts.count_users(conn)
    if not number and not served.terms.on_loopback:
        raise UsageError(
            f"RORI_MONITOR_HOST is {served.terms.host}, which others can reach, and there is no user yet. Run: {_ADD}"
        )
    return number > 0


def _print_address(served: AppState, url: str, *, has_users: bool) -> None:
    print(f"The monitor of {served.places.shown_ledger} is at {url}\nCtrl-C ends it.", flush=True)
    if not served.terms.on_loopback:
        print("It speaks plain HTTP: put a reverse proxy with TLS before it (docs/how-to/monitor.md).", flush=True)
    if not has_users:
        print(f"There is no user yet. In another terminal, in this folder: {_ADD}", flush=True)


def _add_user_verbs(parser: argparse.ArgumentParser) -> None:
    from rori_spiders.ledger.operations import accounts as operations_accounts

    actions = Subcommands(parser, dest="action")
    add = actions.add("add", "add a user")
    listing = actions.add("list", "list the users")
    role = actions.add("role", "change a user's role")
    password = actions.add("password", "set a new password and sign the user out everywhere")
    remove = actions.add("remove", "remove a user and sign them out everywhere")
    for one in (add, role, password, remove):
        one.add_argument("user", metavar="NAME", help="the user")
    for one in (add, role):
        one.add_argument(
            "--role", required=True, choices=operations_accounts.USER_ROLES, help="viewers read, operators also act"
        )
    add.add_argument("--no-password", action="store_true", help="signed in by a reverse proxy only")
    add_format_option(listing)


def _change_users(accounts: UserManager, opts: argparse.Namespace) -> int:
    if opts.action == "add":
        accounts.check_free(opts.user)  # before anybody types a password
        accounts.add(opts.user, opts.role, None if opts.no_password else _read_password())
        print(f"{opts.user} may sign in, as {opts.role}." if not opts.no_password else f"{opts.user} is {opts.role}.")
    elif opts.action == "remove":
        accounts.remove(opts.user)
        print(f"{opts.user} is removed, and signed out everywhere.")
    elif opts.action == "role":
        accounts.set_role(opts.user, opts.role)
        print(f"{opts.user} is {opts.role} from now on.")
    else:
        accounts.check_known(opts.user)
        accounts.set_password(opts.user, _read_password())
        print(f"{opts.user} has a new password, and is signed out everywhere.")
    return 0


def _read_password() -> str:
    """Typed twice at a terminal, where nobody sees it; else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise UsageError("the two passwords are not the same; nothing was changed")
    return first


def _print_users(found: list[operations_accounts.User], form: str) -> int:
    names = ("name", "role", "created_at", "seen_at")
    rows = ({name: getattr(user, name) for name in names} | {"password": user.password_at} for user in found)
    write_listing(rows, COLUMNS, form)
    if form == "table" and not found:
        print(f"There is no user yet. Run: {_ADD}")
    return 0
