"""A process that has imported the collector once, and forks for each command that a test types.

Half of what a short command costs is the import of Scrapy and of this project. Each command still is a process of its
own, in its own folder, with its own environment, and ends as a process does. No module that is imported here starts a
thread, installs a reactor or reads the environment; `rori_spiders.settings` does, so each command imports that itself.

Run as ``python -m tests.support.command_server FD LISTENING PYTHON``: one end of a socket pair, and a socket at which
the program PYTHON (`forking_python`) asks for commands. It ends when the other end of the pair is closed.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import os
import pkgutil
import runpy
import select
import signal
import socket
import sqlite3
import sys
import threading
from contextlib import closing, suppress
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

from argon2 import PasswordHasher
from scrapy import cmdline
from sqlalchemy import inspect

from rori_spiders.content.convert import convert
from rori_spiders.ledger import upgrades
from rori_spiders.ledger.database import open_ledger
from rori_spiders.monitor.security import passwords
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.urls.canonical import registrable_domain
from rori_spiders.verdicts.judge import judge
from tests.support.capabilities import obey_file_modes
from tests.support.forked_workers import fork_workers, start_template, stop_template
from tests.support.pages import page

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: A request is one message: the command as a literal of Python, which a socket pair takes whole.
MOST_BYTES = 1 << 17
#: Scrapy imports the settings; a node, its launcher, which installs the reactor; the last one is deprecated.
_NOT_HERE = ("rori_spiders.settings", "rori_spiders.nodes.scrapyd_application", "scrapy.extensions.statsmailer")
#: Modules that are run as programs, too.
_PROGRAMS = ("rori_spiders.crawl.adhoc.worker",)
#: What a command or crawl imports besides, and all modules of these packages.
_THEIRS = ("aiohttp.web", "alembic.command", "itemadapter", "tldextract", "unittest")
_COMPONENTS = ("scrapy.commands", "scrapy.downloadermiddlewares", "scrapy.extensions", "scrapy.spidermiddlewares")
_BESIDE = ("dupefilters", "logformatter", "shell", "squeues", "statscollectors")


def _import_all() -> None:
    for package in ("rori_spiders", *_COMPONENTS):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name not in _NOT_HERE and ".migrations." not in module.name:
                importlib.import_module(module.name)
    for name in (*_THEIRS, *(f"scrapy.{one}" for one in _BESIDE)):
        importlib.import_module(name)
    _note_entry_points()
    _see_a_page()
    _note_migrations()
    # A hash as strong as the product's takes 64 MiB and a tenth of a second, at each sign-in.
    vars(passwords)["_HASHER"] = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    assert "twisted.internet.reactor" not in sys.modules, "each command installs its own"
    assert "pkg_resources" not in sys.modules, "it takes a while and warns that it is deprecated"
    assert threading.active_count() == 1, "a fork has one thread"
    gc.collect()
    gc.freeze()


def _note_entry_points() -> None:
    """Scrapy asks all installed packages for commands, each time; they are asked here, once."""
    vars(cmdline)["entry_points"] = found = cache(entry_points)
    found(group="scrapy.commands")


def _see_a_page() -> None:
    """Compile the rules and read the lists that the first page of each crawl would wait for."""
    body, url = page("A page", "/a").encode(), "https://www.example.org/"
    assert judge(status=200, url=url, headers={"content-type": "text/html"}, body=body).kind == "content"
    assert convert(body, url=url).markdown and registrable_domain("www.example.org") == "example.org"


def _note_migrations() -> None:
    """Give a new SQLite ledger the tables that the migrations make here, once: they take a fifth of a second."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        open_ledger(f"sqlite:///{path}").close()
        with closing(sqlite3.connect(path)) as migrated:
            statements = [one for one in migrated.iterdump() if one not in {"BEGIN TRANSACTION;", "COMMIT;"}]
    run_migrations = upgrades.run_migrations

    def make_tables(conn: Connection, to: str = "head") -> None:
        if to != "head" or conn.dialect.name != "sqlite" or inspect(conn).get_table_names():
            return run_migrations(conn, to)
        for statement in statements:
            conn.exec_driver_sql(statement)
        return None

    upgrades.run_migrations = make_tables


def _run(command: dict[str, Any], stdin: int, stdout: int, stderr: int) -> None:
    """``python -m MODULE ARGS`` in this process."""
    for number, fd in enumerate((stdin, stdout, stderr)):
        os.dup2(fd, number)
        os.close(fd)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["env"])
    sys.path[0] = command["cwd"]
    sys.argv = [command["module"], *command["args"]]
    if command.get("obedient"):
        obey_file_modes()
    fork_workers()
    get_redactor.cache_clear()  # it knows the secrets of an environment, and what was typed
    if command["module"] in _PROGRAMS:
        del sys.modules[command["module"]]  # else `runpy` warns that it was imported
    try:
        runpy.run_module(command["module"], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        _exit(ended.code or 0)
    _exit(0)


def _exit(code: int) -> NoReturn:
    """End as the interpreter does, but leave the freeing of each object, three times a short command's work, undone."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _attend(command: dict[str, Any], files: list[int], answer: socket.socket) -> NoReturn:
    """Run the command in a child, and tell its pid, then how it ended (as `subprocess` says it).

    The child is killed when nobody is there any more to be told.
    """
    pid = os.fork()
    if pid == 0:
        answer.close()
        _run(command, *files)
    for fd in files:
        os.close(fd)
    answer.send(str(pid).encode())
    if answer.fileno() in select.select([os.pidfd_open(pid), answer.fileno()], [], [])[0]:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):
        answer.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _reap(options: int) -> None:
    """Take note of the commands that have ended, so that what they took counts as taken by the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def main(fd: int, listening_fd: int, python: str) -> None:
    with socket.socket(fileno=fd) as asked, socket.socket(fileno=listening_fd) as listening:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever runs the tests ends them
        start_template()
        _import_all()
        sys.executable = python
        while True:
            ready = select.select([asked, listening], [], [])[0]
            source = asked if asked in ready else listening.accept()[0]
            message, fds, _, _ = socket.recv_fds(source, MOST_BYTES, 4)
            if not message and source is asked:
                stop_template()
                _reap(0)
                return
            start_template()
            _reap(os.WNOHANG)
            if message and os.fork() == 0:
                asked.close()
                listening.close()
                answer = source if source is not asked else socket.socket(fileno=fds.pop())
                _attend(ast.literal_eval(message.decode()), list(fds), answer)
            for one in fds:
                os.close(one)
            if source is not asked:
                source.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
