"""``scrapy monitor``: serve the web interface and manage its users."""

from __future__ import annotations

import getpass
import sys
from contextlib import closing, nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.log import configure_logging

from rori_spiders.configuration.locations import project_folder
from rori_spiders.configuration.setting_values import CMDLINE_PRIORITY
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, positive_count
from rori_spiders.terminal.demo.settings import HOST, PORT, apply_demo_settings
from rori_spiders.terminal.listing import Column, print_hint, write_listing

if TYPE_CHECKING:
    import argparse
    from datetime import datetime

    from scrapy.settings import BaseSettings

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.operations import accounts as operations_accounts
    from rori_spiders.monitor.accounts.user_management import UserManager
    from rori_spiders.monitor.state.dependencies import AppState

_ADD = "scrapy monitor users add NAME --role operator"
COLUMNS = (
    Column("name", "name"),
    Column("role", "role", colours=(("operator", "green"),)),
    Column("password", "password set (UTC)"),
    Column("created_at", "created (UTC)"),
    Column("seen_at", "last seen (UTC)"),
)
TOKEN_COLUMNS = (
    Column("token_id", "number"),
    Column("user_name", "user"),
    Column("label", "label", width=40),
    Column("scope", "scope"),
    Column("is_valid", "valid"),
    Column("expires_at", "expires (UTC)"),
    Column("seen_at", "last used (UTC)"),
    *map(Column, ("created_at", "revoked_at")),
)


class Monitor(RoriCommand):
    examples = (
        "scrapy monitor                                       serve until Ctrl-C",
        "scrapy monitor --demo                                show the result of `scrapy demo`",
        "scrapy monitor users add anna --role operator        prompt for the password",
        "scrapy monitor users add ben --role viewer < file    read it from standard input",
        "scrapy monitor users list",
        "scrapy monitor users role ben --role operator",
        "scrapy monitor users password ben",
        "scrapy monitor users remove ben",
        "scrapy monitor tokens add ben --scope read --label dashboard --days 90",
        "scrapy monitor tokens revoke 3",
    )
    usage = (
        "[--demo] | users add|list|remove|password|role [NAME] [--role ROLE] | "
        "tokens add|list|revoke [NAME|NUMBER] [--scope SCOPE]"
    )
    summary = "Serve the web interface; manage its users and their API tokens"
    description = (
        "Serves the web interface at http://127.0.0.1:8650 until Ctrl-C: source status, changes, failures with "
        "their reasons, jobs. Operators can also start, pause and cancel. `users` manages who may sign in: viewers "
        "read, operators act. Passwords are typed at a prompt or read from standard input. `tokens` manages "
        "the keys by which programs use the API in a user's name."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="show the demo's ledger and serve its site")
        verbs = Subcommands(parser, required=False)
        _add_user_verbs(verbs.add("users", "manage the users who may sign in"))
        _add_token_verbs(verbs.add("tokens", "manage the tokens by which programs use the API"))

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        self.demo = apply_demo_settings(self.settings) if opts.demo and opts.verb is None else None

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import accounts as operations_accounts

        if opts.verb in {"users", "tokens"}:
            if opts.demo:
                raise UsageError(f"--demo cannot be combined with {opts.verb}")
            with open_ledger(self.places.database_url) as ledger:
                if opts.verb == "tokens" and opts.action == "list":
                    return _print_tokens(ledger, opts.format, self.now())
                if opts.action == "list":
                    with ledger.connect() as conn:
                        return _print_users(operations_accounts.list_users(conn), opts.format)
                from rori_spiders.monitor.accounts.user_management import UserManager

                change = _change_users if opts.verb == "users" else _change_tokens
                return change(UserManager(ledger, self.person(), self.now()), opts)
        if self.demo is None:
            return self._serve()
        from rori_spiders.terminal.demo.server import serve_folder
        from rori_spiders.terminal.demo.working_copy import prepare_site

        try:
            with serve_folder(prepare_site(self.demo / "site"), HOST, PORT):
                return self._serve()
        except OSError as error:
            raise ActionRefused(f"cannot serve the demo site on {HOST}:{PORT}: {error.strerror}") from error

    def _serve(self) -> int:
        # Scrapy imports each command to list it: what only this one needs is imported here.
        from rori_spiders.crawl.scrapy_internals.engine import install_log_format
        from rori_spiders.monitor.application.app import create_app
        from rori_spiders.monitor.application.server import open_socket, run_server, server_url
        from rori_spiders.monitor.control.job_runner import JobRunner
        from rori_spiders.monitor.corpus.workers import CorpusWorkers
        from rori_spiders.monitor.state.dependencies import AppState

        root = project_folder(closest_scrapy_cfg())
        install_log_format(self.settings)
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
    """The settings given with ``-s``, to pass on to the jobs that the monitor starts."""
    typed = (name for name in map(str, settings) if (settings.getpriority(name) or 0) >= CMDLINE_PRIORITY)
    return {name: str(settings[name]) for name in typed if name.startswith("RORI_") and "_MONITOR_" not in name}


def _has_users(served: AppState) -> bool:
    from rori_spiders.ledger.operations import accounts as operations_accounts

    with served.ledger.connect() as conn:
        number = operations_accounts.count_users(conn)
    if not number and not served.terms.on_loopback:
        raise ActionRefused(
            f"RORI_MONITOR_HOST={served.terms.host} is reachable from other machines, but no users exist. Run: {_ADD}"
        )
    return number > 0


def _print_address(served: AppState, url: str, *, has_users: bool) -> None:
    print(f"The monitor of {served.places.shown_ledger} is at {url}\nPress Ctrl-C to stop.", flush=True)
    if not served.terms.on_loopback:
        print("The connection is not encrypted: use a reverse proxy with TLS (docs/how-to/monitor.md).", flush=True)
    if not has_users:
        print(f"No users yet. In another terminal, in this folder, run: {_ADD}", flush=True)
    if is_page_outdated():
        print("The page is older than its sources in this checkout, as after `git pull`. Run: make page", flush=True)


def is_page_outdated() -> bool:
    """Whether this is a checkout whose page was built from other sources than it has now."""
    if find_spec("rori_spiders.monitor.web") is None:  # a wheel has the page, and not its sources
        return False
    from rori_spiders.monitor.web import building

    return building.STAMP.is_file() and not building.is_current()


def _add_user_verbs(parser: argparse.ArgumentParser) -> None:
    from rori_spiders.ledger.operations import accounts as operations_accounts

    actions = Subcommands(parser, dest="action")
    add = actions.add("add", "add a user")
    listing = actions.add("list", "list the users")
    role = actions.add("role", "change a user's role")
    password = actions.add("password", "set a new password and sign the user out everywhere")
    remove = actions.add("remove", "remove a user and sign them out everywhere")
    for one in (add, role, password, remove):
        one.add_argument("user", metavar="NAME", help="name of the user")
    for one in (add, role):
        one.add_argument(
            "--role", required=True, choices=operations_accounts.USER_ROLES, help="viewers read, operators also act"
        )
    add.add_argument("--no-password", action="store_true", help="no password: sign-in by a reverse proxy only")
    add_format_option(listing)


def _add_token_verbs(parser: argparse.ArgumentParser) -> None:
    from rori_spiders.ledger.operations.api_tokens import MAX_DAYS, SCOPES

    actions = Subcommands(parser, dest="action")
    add = actions.add("add", "make a token, and print it once")
    add_format_option(actions.add("list", "list all tokens, including revoked and expired ones"))
    revoke = actions.add("revoke", "end a token")
    add.add_argument("user", metavar="NAME", help="user in whose name the program acts")
    add.add_argument(
        "--scope",
        required=True,
        choices=SCOPES,
        help="read; review (also decides about changes); or operate (all that the user may do)",
    )
    add.add_argument("--label", metavar="TEXT", required=True, help="what it is for")
    days = f"valid so long, {MAX_DAYS} at most (default: 90)"
    add.add_argument("--days", metavar="NUMBER", type=positive_count, default=90, help=days)
    revoke.add_argument("number", metavar="NUMBER", type=positive_count, help="number of the token")


def _change_tokens(accounts: UserManager, opts: argparse.Namespace) -> int:
    from rori_spiders.ledger.operations.api_tokens import MAX_DAYS

    if opts.action == "revoke":
        accounts.revoke_token(opts.number)
        print(f"Revoked token {opts.number}.")
        return 0
    if opts.days > MAX_DAYS:
        raise UsageError(f"--days is above {MAX_DAYS}")
    number, token = accounts.add_token(opts.user, label=opts.label, scope=opts.scope, days=opts.days)
    print(f"Token {number} of {opts.user}, scope {opts.scope}, valid for {opts.days} days:\n{token}")
    print("It is not shown again. Programs send it as `Authorization: Bearer TOKEN`.")
    return 0


def _print_tokens(ledger: Ledger, form: str, now: datetime) -> int:
    from rori_spiders.ledger.operations.api_tokens import list_tokens

    with ledger.connect() as conn:
        found = list_tokens(conn)
    names = ("token_id", "user_name", "label", "scope", "created_at", "expires_at", "revoked_at", "seen_at")
    rows = ({name: getattr(one, name) for name in names} | {"is_valid": one.is_valid(now)} for one in found)
    write_listing(rows, TOKEN_COLUMNS, form)
    if form == "table" and not found:
        print_hint("No tokens yet. Run: scrapy monitor tokens add NAME --scope read --label TEXT")
    return 0


def _change_users(accounts: UserManager, opts: argparse.Namespace) -> int:
    if opts.action == "add":
        accounts.check_free(opts.user)  # before anybody types a password
        accounts.add(opts.user, opts.role, None if opts.no_password else _read_password())
        print(f"Added {opts.user} as {opts.role}{' without a password' if opts.no_password else ''}.")
    elif opts.action == "remove":
        accounts.remove(opts.user)
        print(f"Removed {opts.user} and signed them out everywhere.")
    elif opts.action == "role":
        accounts.set_role(opts.user, opts.role)
        print(f"Changed the role of {opts.user} to {opts.role}.")
    else:
        accounts.check_known(opts.user)
        accounts.set_password(opts.user, _read_password())
        print(f"Changed the password of {opts.user} and signed them out everywhere.")
    return 0


def _read_password() -> str:
    """The password: prompted for twice at a terminal, else the first line of standard input."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Repeat password: ") != first:
        raise UsageError("the passwords do not match; nothing was changed")
    return first


def _print_users(found: list[operations_accounts.User], form: str) -> int:
    names = ("name", "role", "created_at", "seen_at")
    rows = ({name: getattr(user, name) for name in names} | {"password": user.password_at} for user in found)
    write_listing(rows, COLUMNS, form)
    if form == "table" and not found:
        print(f"No users yet. Run: {_ADD}")
    return 0
