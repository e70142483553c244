"""The machine: memory, open files, the clock and its time zones, the node's Scrapyd."""

from __future__ import annotations

import os
import resource
from configparser import ConfigParser
from configparser import Error as ConfigError
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rori_spiders.doctor.patient import Finding
from rori_spiders.doctor.synchronised import is_synchronised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rori_spiders.doctor.patient import Patient

_MIB = 2**20
#: What the browser alone may take (RORI_BROWSER_MEMORY).
_NEEDED = 1024 * _MIB
#: The soft limit that Linux gives by itself: who has less was given less.
_FILES = 1024
_QUEUE = "rori_spiders.nodes.spiderqueue.LedgerSpiderQueue"
_LOOPBACK = ("127.", "localhost", "::1")


def memory(_: Patient) -> Iterator[Finding]:
    """What is available now, as the kernel counts it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        yield Finding("memory", "ok", "not known: there is no /proc here")
        return
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    available, total = kib["MemAvailable"] * 1024, kib["MemTotal"] * 1024
    found = f"{available // _MIB:,} of {total // _MIB:,} MiB are available"
    if available < _NEEDED:
        do = "Stop what else runs here, or leave the browser out of RORI_TIERS and set RORI_CONVERT_WORKERS=1."
        yield Finding("memory", "warning", found, do)
    else:
        yield Finding("memory", "ok", found)


def open_files(_: Patient) -> Iterator[Finding]:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _FILES:
        do = f"Raise it to {_FILES} or more: `ulimit -n`, or LimitNOFILE= in the systemd unit."
        yield Finding("open files", "warning", f"at most {soft:,}", do)
    else:
        yield Finding("open files", "ok", f"at most {soft:,}" if soft >= 0 else "no limit")


def clock(patient: Patient) -> Iterator[Finding]:
    """Whether the kernel holds the clock for right: leases, hours and audit go by it."""
    synchronised = is_synchronised()
    found = f"{patient.now:%Y-%m-%d %H:%M:%S} UTC"
    if synchronised is None:
        yield Finding("clock", "ok", f"{found}; the kernel does not say whether it is synchronised")
    elif synchronised:
        yield Finding("clock", "ok", f"{found}, synchronised")
    else:
        do = "Start chrony or systemd-timesyncd; in a virtual machine or container, its host may do it."
        yield Finding("clock", "warning", f"{found}; the kernel does not know it to be synchronised", do)


def time_zones(_: Patient) -> Iterator[Finding]:
    """The hours of .gov sites are New York's."""
    try:
        ZoneInfo("America/New_York")
    except (ZoneInfoNotFoundError, OSError, ValueError):
        do = "Install your system's tzdata, or: pip install tzdata."
        yield Finding("time zones", "failed", "America/New_York is not known", do)
    else:
        yield Finding("time zones", "ok", "America/New_York is known")


def node(patient: Patient) -> Iterator[Finding]:
    """Scrapyd's configuration beside scrapy.cfg, where this machine is a node."""
    file = Path(patient.cfg).parent / "scrapyd.conf" if patient.cfg else None
    if file is None or not file.is_file():
        yield Finding("Scrapyd", "ok", "no scrapyd.conf here: jobs begin by `scrapy collect` or `scrapy dispatch`")
        return
    conf = ConfigParser(interpolation=None)
    try:
        conf.read(file, encoding="utf-8")
    except (ConfigError, UnicodeDecodeError, OSError) as error:
        yield Finding(
            "Scrapyd", "failed", f"{file} cannot be read: {type(error).__name__}", "Correct it: docs/nodes.md."
        )
        return
    section = conf["scrapyd"] if conf.has_section("scrapyd") else {}
    yield from _node(file, section)


def _node(file: Path, section: Mapping[str, str]) -> Iterator[Finding]:
    user = section.get("username") or os.environ.get("SCRAPYD_USERNAME")
    password = section.get("password") or os.environ.get("SCRAPYD_PASSWORD")
    bound = os.environ.get("SCRAPYD_BIND_ADDRESS") or section.get("bind_address", "127.0.0.1")
    if section.get("spiderqueue") != _QUEUE:
        do = f"Set spiderqueue = {_QUEUE} (docs/nodes.md), or remove the file where no Scrapyd runs."
        yield Finding("Scrapyd", "warning", f"{file}: its queue is not the one that all nodes share", do)
    elif not (user and password):
        said = "this machine is no node: SCRAPYD_USERNAME and SCRAPYD_PASSWORD are not set here"
        yield Finding("Scrapyd", "ok", f"{said}, and without them {file} starts nothing")
    elif find_spec("scrapyd") is None:
        yield Finding("Scrapyd", "failed", f"{file}, but Scrapyd is not installed", "Install the group `scrapyd`.")
    elif not bound.startswith(_LOOPBACK):
        do = "Bind it to 127.0.0.1, and put a proxy with TLS before it."
        yield Finding("Scrapyd", "warning", f"{file}, bound to {bound}: password and logs pass in the clear", do)
    else:
        number = section.get("max_proc", "0").strip()
        many = f"{number} jobs at once" if number != "0" else "as many jobs at once as its memory holds"
        yield Finding("Scrapyd", "ok", f"{file}, bound to {bound}, with authentication; {many}")
