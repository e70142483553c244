"""Checks of the installation and the machine: Python, packages, encoding, environment, memory, files, clock, time
zones, Scrapyd.
"""

import ctypes
import locale
import os
import platform
import resource
import sys
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from packaging.requirements import InvalidRequirement, Requirement

import rori_spiders
from rori_spiders.configuration.setting_values import spelling_hint, unknown_variables
from rori_spiders.content.documents.pdf import ocr
from rori_spiders.manifest.headers import header_variables
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult
from rori_spiders.runtime.plugins import load_plugins

_DISTRIBUTION = "rori-collector"
_MIN_PYTHON = (3, 11)  # pyproject.toml's requires-python


def check_program(_: CheckContext) -> Iterator[CheckResult]:
    """Check the version of the program, of Python and of the system."""
    here = Path(rori_spiders.__file__).parent
    kind = "an egg" if ".egg" in str(here) else "installed" if "site-packages" in here.parts else "a checkout"
    found = f"{rori_spiders.__version__}, {kind} in {here.parent}; Python {platform.python_version()}"
    if sys.version_info < _MIN_PYTHON:
        yield CheckResult("program", "failed", found, "Install Python 3.11 or newer, and the collector in it.")
    else:
        yield CheckResult("program", "ok", found)


def check_packages(_: CheckContext) -> Iterator[CheckResult]:
    """Check that the required packages are installed in supported versions."""
    try:
        named = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        found = f"Scrapy {version('scrapy')}; other versions are not checked: no installed metadata"
        yield CheckResult(
            "packages", "warning", found, "Install the collector where Scrapy is: pip install -e . in a checkout."
        )
        return
    wrong = [problem for text in named if (problem := _package_problem(text))]
    if wrong:
        yield CheckResult("packages", "failed", "; ".join(wrong), "Reinstall them: pip install -e . (or make setup).")
    else:
        yield CheckResult("packages", "ok", f"Scrapy {version('scrapy')}; all {len(named)} required packages fit")


def check_plugins(_: CheckContext) -> Iterator[CheckResult]:
    """Check that each plug-in that is installed takes part."""
    plugins = load_plugins()
    if plugins.broken:
        found = "\n".join(f"left out: {broken}" for broken in plugins.broken)
        packages = ", ".join(dict.fromkeys(broken.package for broken in plugins.broken))
        do = f"Correct or update, or uninstall: {packages}. Pages are collected without them."
        yield CheckResult("plug-ins", "warning", found, do)
    if plugins.active:
        yield CheckResult("plug-ins", "ok", ", ".join(map(str, plugins.active)))


def check_ocr(context: CheckContext) -> Iterator[CheckResult]:
    """Check that what RORI_OCR and the manifest's sources ask for is there."""
    sources = context.active_catalog.catalog.sources if context.active_catalog is not None else ()
    choices = {source.scrape_config.ocr for source in sources} | {str(context.settings.get("RORI_OCR") or "")}
    for languages in sorted(one for one in choices if one and one != ocr.OFF):
        if (engine := ocr.find_engine(languages)) is not None:
            yield CheckResult("OCR", "ok", engine.name)
            continue
        do = (
            "Install them, on Debian with `apt-get install tesseract-ocr tesseract-ocr-LANGUAGE`, or take them out of "
            "RORI_OCR and the sources' `ocr`."
        )
        found = f"tesseract, prlimit or a language of {languages} is missing: scanned pages are named and not read"
        yield CheckResult("OCR", "warning", found, do)


def _package_problem(text: str) -> str | None:
    try:
        needed = Requirement(text)
    except InvalidRequirement:
        return None
    if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
        return None
    try:
        there = version(needed.name)
    except PackageNotFoundError:
        return f"{needed.name} is missing"
    return (
        None
        if needed.specifier.contains(there, prereleases=True)
        else f"{needed.name} {there} is not {needed.specifier}"
    )


def check_encoding(_: CheckContext) -> Iterator[CheckResult]:
    """Check that file names and output are UTF-8."""
    used = {sys.getfilesystemencoding(), locale.getpreferredencoding(False)}
    found = ", ".join(sorted(name.upper() for name in used))
    if all(name.lower().replace("-", "") == "utf8" for name in used):
        yield CheckResult("locale", "ok", found)
    else:
        yield CheckResult("locale", "warning", found, "Set LANG=C.UTF-8, or PYTHONUTF8=1, for the collector's user.")


def check_project(context: CheckContext) -> Iterator[CheckResult]:
    """The file that relative places are relative to."""
    if context.cfg:
        yield CheckResult("scrapy.cfg", "ok", context.cfg)
    else:
        do = "Change to the project folder, or set RORI_STAGING and RORI_DATABASE_URL as absolute paths."
        yield CheckResult("scrapy.cfg", "warning", "none here or above", do)


def check_variables(context: CheckContext) -> Iterator[CheckResult]:
    """Variables of the environment that look like ours and are not."""
    sources = context.active_catalog.catalog.sources if context.active_catalog else ()
    strange = unknown_variables(also=header_variables(sources))
    for name, meant in strange.items():
        yield CheckResult(
            "environment",
            "warning",
            f"unknown setting {name}{spelling_hint(meant)}",
            "Correct it, or unset it.",
        )
    if not strange:
        yield CheckResult("environment", "ok", "every RORI_* variable is a known setting")


# Whether the kernel holds its clock for synchronised: what `timedatectl` shows, asked where it comes from.

# <sys/timex.h>
_TIME_ERROR = 5
_STA_UNSYNC = 0x0040
_LONGS_BEFORE_STATUS = 4  # offset, freq, maxerror, esterror


class _Timex(ctypes.Structure):
    """The beginning of ``struct timex``, as far as it is read, and room for the rest (208 bytes on 64-bit Linux)."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("before", ctypes.c_long * _LONGS_BEFORE_STATUS),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def is_synchronised() -> bool | None:
    """None where the kernel cannot be asked: no Linux, or a container that forbids it. Nothing is set (modes 0)."""
    if os.uname().sysname != "Linux":
        return None
    timex = _Timex()
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if state < 0:
        return None
    return state != _TIME_ERROR and not timex.status & _STA_UNSYNC


# The machine: memory, open files, the clock and its time zones, the node's Scrapyd.

_MIB = 2**20
#: What the browser alone may take (RORI_BROWSER_MEMORY).
_NEEDED = 1024 * _MIB
#: The default soft limit of Linux: a lower one was set by somebody.
_FILES = 1024
_QUEUE = "rori_spiders.nodes.spiderqueue.LedgerSpiderQueue"
_LOOPBACK = ("127.", "localhost", "::1")


def check_memory(_: CheckContext) -> Iterator[CheckResult]:
    """What is available now, as the kernel counts it."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        yield CheckResult("memory", "ok", "unknown: no /proc on this system")
        return
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    available, total = kib["MemAvailable"] * 1024, kib["MemTotal"] * 1024
    found = f"{available // _MIB:,} of {total // _MIB:,} MiB are available"
    if available < _NEEDED:
        do = "Stop other programs, or remove `browser` from RORI_TIERS and set RORI_CONVERT_WORKERS=1."
        yield CheckResult("memory", "warning", found, do)
    else:
        yield CheckResult("memory", "ok", found)


def check_open_files(_: CheckContext) -> Iterator[CheckResult]:
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _FILES:
        do = f"Raise it to {_FILES} or more: `ulimit -n`, or LimitNOFILE= in the systemd unit."
        yield CheckResult("open files", "warning", f"at most {soft:,}", do)
    else:
        yield CheckResult("open files", "ok", f"at most {soft:,}" if soft >= 0 else "no limit")


def check_clock(context: CheckContext) -> Iterator[CheckResult]:
    """Whether the kernel holds the clock for right: leases, hours and audit go by it."""
    synchronised = is_synchronised()
    found = f"{context.now:%Y-%m-%d %H:%M:%S} UTC"
    if synchronised is None:
        yield CheckResult("clock", "ok", f"{found}; the kernel does not report whether it is synchronised")
    elif synchronised:
        yield CheckResult("clock", "ok", f"{found}, synchronised")
    else:
        do = "Start chrony or systemd-timesyncd; in a virtual machine or container, its host may do it."
        yield CheckResult("clock", "warning", f"{found}; the kernel reports it as not synchronised", do)


def check_time_zones(_: CheckContext) -> Iterator[CheckResult]:
    """The hours of .gov sites are New York's."""
    try:
        ZoneInfo("America/New_York")
    except (ZoneInfoNotFoundError, OSError, ValueError):
        do = "Install your system's tzdata, or: pip install tzdata."
        yield CheckResult("time zones", "failed", "America/New_York is missing", do)
    else:
        yield CheckResult("time zones", "ok", "America/New_York is available")


def check_node(context: CheckContext) -> Iterator[CheckResult]:
    """Scrapyd's configuration beside scrapy.cfg, where this machine is a node."""
    file = Path(context.cfg).parent / "scrapyd.conf" if context.cfg else None
    if file is None or not file.is_file():
        yield CheckResult("Scrapyd", "ok", "no scrapyd.conf here: `scrapy collect` or `scrapy dispatch` starts jobs")
        return
    conf = ConfigParser(interpolation=None)
    try:
        conf.read(file, encoding="utf-8")
    except (ConfigError, UnicodeDecodeError, OSError) as error:
        yield CheckResult(
            "Scrapyd", "failed", f"{file} cannot be read: {type(error).__name__}", "Correct it: docs/how-to/nodes.md."
        )
        return
    section = conf["scrapyd"] if conf.has_section("scrapyd") else {}
    yield from _check_scrapyd_section(file, section)


def _check_scrapyd_section(file: Path, section: Mapping[str, str]) -> Iterator[CheckResult]:
    user = section.get("username") or os.environ.get("SCRAPYD_USERNAME")
    password = section.get("password") or os.environ.get("SCRAPYD_PASSWORD")
    bound = os.environ.get("SCRAPYD_BIND_ADDRESS") or section.get("bind_address", "127.0.0.1")
    if section.get("spiderqueue") != _QUEUE:
        do = f"Set spiderqueue = {_QUEUE} (docs/how-to/nodes.md), or remove the file where no Scrapyd runs."
        yield CheckResult("Scrapyd", "warning", f"{file}: its queue is not the shared queue of the nodes", do)
    elif not (user and password):
        message = "this machine is not a node: SCRAPYD_USERNAME and SCRAPYD_PASSWORD are not set here"
        yield CheckResult("Scrapyd", "ok", f"{message}, and {file} starts nothing without them")
    elif find_spec("scrapyd") is None:
        yield CheckResult("Scrapyd", "failed", f"{file}, but Scrapyd is not installed", "Install the group `scrapyd`.")
    elif not bound.startswith(_LOOPBACK):
        do = "Bind it to 127.0.0.1 and put a TLS proxy in front of it."
        yield CheckResult(
            "Scrapyd", "warning", f"{file}, bound to {bound}: passwords and logs are sent unencrypted", do
        )
    else:
        number = section.get("max_proc", "0").strip()
        many = f"{number} jobs at once" if number != "0" else "as many jobs at once as memory allows"
        yield CheckResult("Scrapyd", "ok", f"{file}, bound to {bound}, with authentication; {many}")
