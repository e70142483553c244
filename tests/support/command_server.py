"""A process that has imported the collector once, and forks for each command that a test types.

Half of what a short command costs is the import of Scrapy and of this project. Each command still is a process of its
own, in its own folder, with its own environment, and ends as a process does. No module that is imported here starts a
thread, installs a reactor or reads the environment; `rori_spiders.settings` does, so each command imports that itself.

Run as ``python -m tests.support.command_server LISTENING PYTHON``: a socket at which tests, and the program PYTHON
(`forking_python`), ask for a command each. A client that sends ``STAY`` instead keeps it: it ends with the last.
"""

from __future__ import annotations

import ast
import atexit
import ctypes
import gc
import importlib
import logging
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
from contextlib import closing, suppress
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import entry_points, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import boto3
import botocore.session
from argon2 import PasswordHasher
from botocore.loaders import create_loader
from scrapy import cmdline
from scrapy.settings import SettingsAttribute
from scrapy.utils import versions

from rori_spiders.comparison.change_weight import weight_rules
from rori_spiders.comparison.importance import importance_rules
from rori_spiders.content.citations import find
from rori_spiders.content.convert import convert
from rori_spiders.ledger.database import open_ledger
from rori_spiders.monitor.security import passwords
from rori_spiders.operations.alerts.channels import email_channel
from rori_spiders.runtime.plugins import load_plugins, text_plugins_hash
from rori_spiders.runtime.redacted_output import program_name
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.staging.store_factory import open_store
from rori_spiders.staging.verification.verify import verify_staging
from rori_spiders.urls.canonical import registrable_domain
from rori_spiders.verdicts.judge import judge
from tests.support.capabilities import obey_file_modes
from tests.support.first_job import run_first_job
from tests.support.forked_workers import fork_workers, start_template, stop_template
from tests.support.pages import page
from tests.support.schema_cache import share_comparisons
from tests.support.statement_cache import share_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable


#: A request is one message: the command as a literal of Python, which a socket takes whole.
MOST_BYTES = 1 << 17
#: Of a client that will ask for commands; it gets the pid of the server once that can fork.
STAY = b"stay"
#: Scrapy imports the settings; a node, its launcher, which installs the reactor; the last one is deprecated.
_NOT_HERE = ("rori_spiders.settings", "rori_spiders.nodes.scrapyd_application", "scrapy.extensions.statsmailer")
#: Modules that are run as programs, too.
_PROGRAMS = ("rori_spiders.crawl.adhoc.worker", "rori_spiders.nodes.runner")
#: What begins processes that signals to its group reach.
_LEADERS = ("scrapyd",)
#: What a command or crawl imports besides (pyarrow imports pandas, where it is, with its first table), and all modules
#: of these packages.
_THEIRS = (
    "aiohttp.web",
    "alembic.command",
    "itemadapter",
    "pandas",
    "psycopg",
    "pyarrow.parquet",
    "tldextract",
    "unittest",
)
_COMPONENTS = ("scrapy.commands", "scrapy.downloadermiddlewares", "scrapy.extensions", "scrapy.spidermiddlewares")
_BESIDE = ("dupefilters", "logformatter", "shell", "squeues", "statscollectors")
#: Settings of these types are never changed in place.
_PLAIN = (str, int, float, bool, type(None))
#: MADV_COLLAPSE, which Python does not name: from Linux 6.1 on.
_COLLAPSE, _HUGE_PAGE = 25, 2**21


def _import_all() -> None:
    gc.disable()  # it would go through what is imported again and again
    for package in ("rori_spiders", *_COMPONENTS):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if module.name not in _NOT_HERE and ".migrations." not in module.name:
                importlib.import_module(module.name)
    for name in (*_THEIRS, *(f"scrapy.{one}" for one in _BESIDE)):
        importlib.import_module(name)
    _note_packages()
    _hasten_settings()
    _see_a_page()
    _note_statements()
    _read_descriptions()
    # A hash as strong as the product's takes 64 MiB and a tenth of a second, at each sign-in.
    vars(passwords)["_HASHER"] = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    assert "twisted.internet.reactor" not in sys.modules, "each command installs its own"
    assert "pkg_resources" not in sys.modules, "it takes a while and warns that it is deprecated"
    assert threading.active_count() == 1, "a fork has one thread"
    gc.collect()
    gc.freeze()
    gc.enable()
    _use_huge_pages()


def _use_huge_pages() -> None:
    """Have the kernel keep what was imported in pages of 2 MiB: a fork copies a table of a hundred, not of 50,000.

    It takes 5 ms instead of 15, and each command is two forks. Where the kernel does not support it, nothing changes.
    """
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for line in Path("/proc/self/maps").read_text("ascii").splitlines():
        addresses, mode, _, _, file, *name = line.split()
        if mode == "rw-p" and file == "0" and (not name or name == ["[heap]"]):
            begin, end = (int(address, 16) for address in addresses.split("-"))
            begin, end = -(-begin // _HUGE_PAGE) * _HUGE_PAGE, end // _HUGE_PAGE * _HUGE_PAGE
            if begin < end:
                madvise(begin, end - begin, _COLLAPSE)


def _note_packages() -> None:
    """Scrapy asks all installed packages for commands and versions, and modules for commands, each time: here, once."""
    vars(cmdline)["entry_points"] = found = cache(entry_points)
    found(group="scrapy.commands")
    find_commands = vars(cmdline)["_iter_command_classes"]
    vars(cmdline)["_iter_command_classes"] = commands_of = cache(lambda module: tuple(find_commands(module)))
    assert commands_of("scrapy.commands") and commands_of("rori_spiders.terminal.commands")
    vars(versions)["version"] = cache(version)
    versions.get_versions()


def _hasten_settings() -> None:
    """Scrapy copies its 400 settings twice a crawl, and sets the levels of 60 loggers, for each of which all are asked.

    Copies and levels are what they were, for a tenth of the time.
    """
    SettingsAttribute.__deepcopy__ = _copy_setting  # type: ignore[attr-defined]
    logging.Manager._clear_cache = _forget_levels  # type: ignore[attr-defined]


def _copy_setting(setting: SettingsAttribute, memo: dict[int, Any]) -> SettingsAttribute:
    copied = object.__new__(type(setting))
    copied.priority = setting.priority
    copied.value = setting.value if type(setting.value) in _PLAIN else deepcopy(setting.value, memo)
    return copied


def _forget_levels(manager: logging.Manager) -> None:
    for logger in (*manager.loggerDict.values(), manager.root):
        if known := vars(logger).get("_cache"):
            known.clear()


def _see_a_page() -> None:
    """Compile the rules and read the lists that the first page of each crawl would wait for."""
    body, url = page("A page", "/a").encode(), "https://www.example.org/"
    assert judge(status=200, url=url, headers={"content-type": "text/html"}, body=body).kind == "content"
    assert convert(body, url=url).markdown and registrable_domain("www.example.org") == "example.org"
    assert find("See Roe v. Wade, 410 U.S. 113 (1973).") and importance_rules() and weight_rules()
    assert email_channel(["law@example.org"], "smtp://localhost"), "Apprise imports a hundred modules for its first"


def _read_descriptions() -> None:
    """Read what botocore knows of S3, a megabyte of JSON, once: each client would for a tenth of a second."""
    vars(botocore.session)["create_loader"] = cache(create_loader)
    boto3.session.Session("test", "test", region_name="us-east-1").client("s3").close()


def _note_statements() -> None:
    """Compile here, once, what a job and `scrapy verify` ask of a ledger, and compare its tables."""
    share_statements()
    share_comparisons()
    run_first_job()
    # Hints name the program as it was started: that would be the path of a stand-in for the interpreter.
    assert program_name() == "scrapy"  # as it stays, cached
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        with closing(open_ledger(f"sqlite:///{path}")) as ledger:
            verify_staging(ledger, open_store(Path(folder)), now=datetime.now(UTC))


def _run(command: dict[str, Any], *streams: int) -> NoReturn:
    """``python -m MODULE ARGS`` in this process."""
    take_streams(streams)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if command["module"] in _LEADERS:
        os.setsid()
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["env"])
    sys.path[0] = command["cwd"]
    sys.argv = [command["module"], *command["args"]]
    if command.get("obedient"):
        obey_file_modes()
    fork_workers()
    get_redactor.cache_clear()  # it knows the secrets of an environment, and what was typed
    if any(Path.cwd().glob("*.*-info")):  # packages beside those that were looked through before the fork
        for of_another_folder in (load_plugins, text_plugins_hash):
            of_another_folder.cache_clear()
    if command["module"] in _PROGRAMS:
        del sys.modules[command["module"]]  # else `runpy` warns that it was imported
    try:
        runpy.run_module(command["module"], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            raise
        end(ended.code or 0)
    end(0)


def take_streams(streams: Iterable[int]) -> None:
    """Make the descriptors *streams* the standard ones of this process."""
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)


def end(code: int) -> NoReturn:
    """End as the interpreter does, but leave the freeing of each object, three times a short command's work, undone."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Commands:
    """The commands in progress. Each is told its pid, then how it ended (as `subprocess` says it).

    A command is killed when nobody is there any more to be told.
    """

    def __init__(self, run: Callable[..., NoReturn]) -> None:
        #: What a fork does, with the command and its standard streams.
        self._run = run
        #: By the descriptor of its process: its pid, and its client.
        self._running: dict[int, tuple[int, socket.socket]] = {}

    def __bool__(self) -> bool:
        return bool(self._running)

    def watched(self) -> list[int]:
        """The descriptors of which one is ready to read when a command, or its client, has ended."""
        return [*self._running, *(client.fileno() for _, client in self._running.values())]

    def start(
        self, command: dict[str, Any], files: list[int], client: socket.socket, servers: Iterable[socket.socket]
    ) -> None:
        pid = os.fork()
        if pid == 0:
            for one in (client, *servers, *(client for _, client in self._running.values())):
                one.close()
            for process in self._running:
                os.close(process)
            self._run(command, *files)
        self._running[os.pidfd_open(pid)] = pid, client
        _tell(client, pid)

    def attend(self, ready: Container[int]) -> None:
        """Tell the clients of the commands that have ended, and kill those whose clients have."""
        for process, (pid, client) in list(self._running.items()):
            if process not in ready and client.fileno() not in ready:
                continue
            if process not in ready:
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            _tell(client, os.waitstatus_to_exitcode(status))
            del self._running[process]
            os.close(process)
            client.close()


def _tell(client: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError):
        client.send(str(number).encode())


def main(listening_fd: int, python: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever runs the tests ends them
    start_template()
    _import_all()
    sys.executable = python
    serve(listening_fd, _run, prepare=start_template)
    stop_template()


def serve(listening_fd: int, run: Callable[..., NoReturn], *, prepare: Callable[[], None] = lambda: None) -> None:
    """Fork for each command that a client asks for, as long as one stays. *prepare* is called before each fork."""
    commands = _Commands(run)
    with socket.socket(fileno=listening_fd) as listening:
        first = _accept(listening, commands, {}, prepare)
        assert first is not None, "whoever starts the server stays"
        staying = {first.fileno(): first}
        while staying or commands:
            ready = select.select([listening.fileno(), *staying, *commands.watched()], [], [])[0]
            commands.attend(ready)
            for fd in staying.keys() & set(ready):
                staying.pop(fd).close()
            if listening.fileno() in ready and (client := _accept(listening, commands, staying, prepare)):
                staying[client.fileno()] = client


def _accept(
    listening: socket.socket, commands: _Commands, staying: dict[int, socket.socket], prepare: Callable[[], None]
) -> socket.socket | None:
    """Start what a client asks for; the client, if it stays."""
    client, _ = listening.accept()
    message, fds, _, _ = socket.recv_fds(client, MOST_BYTES, 3)
    if message == STAY:
        _tell(client, os.getpid())
        return client
    if message:
        prepare()
        commands.start(ast.literal_eval(message.decode()), list(fds), client, (listening, *staying.values()))
    else:
        client.close()
    for one in fds:
        os.close(one)
    return None


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
