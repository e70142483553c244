"""The program itself: Python, packages, how it is installed, its encoding, its settings."""

from __future__ import annotations

import locale
import platform
import sys
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement

import rori_spiders
from rori_spiders.configuration.environment import hint, unknown
from rori_spiders.doctor.patient import Finding
from rori_spiders.manifest.headers import variables_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.doctor.patient import Patient

_DISTRIBUTION = "rori-collector"
_OLDEST = (3, 11)  # pyproject.toml's requires-python


def installed(_: Patient) -> Iterator[Finding]:
    """Where this program comes from, and on what it runs."""
    here = Path(rori_spiders.__file__).parent
    kind = "an egg" if ".egg" in str(here) else "installed" if "site-packages" in here.parts else "a checkout"
    found = f"{rori_spiders.__version__}, {kind} in {here.parent}; Python {platform.python_version()}"
    if sys.version_info < _OLDEST:
        yield Finding("program", "failed", found, "Install Python 3.11 or newer, and the collector in it.")
    else:
        yield Finding("program", "ok", found)


def packages(_: Patient) -> Iterator[Finding]:
    """Whether the packages that this program names are there, in versions that it knows."""
    try:
        named = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        found = f"Scrapy {version('scrapy')}; whether the others fit is not known: no installed metadata"
        yield Finding(
            "packages", "warning", found, "Install the collector where Scrapy is: pip install -e . in a checkout."
        )
        return
    wrong = [problem for text in named if (problem := _unfit(text))]
    if wrong:
        yield Finding("packages", "failed", "; ".join(wrong), "Install them anew: pip install -e . (or make setup).")
    else:
        yield Finding("packages", "ok", f"Scrapy {version('scrapy')}; all {len(named)} that are named fit")


def _unfit(text: str) -> str | None:
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


def encoding(_: Patient) -> Iterator[Finding]:
    """UTF-8 for names of files and what is printed."""
    used = {sys.getfilesystemencoding(), locale.getpreferredencoding(False)}
    found = ", ".join(sorted(name.upper() for name in used))
    if all(name.lower().replace("-", "") == "utf8" for name in used):
        yield Finding("locale", "ok", found)
    else:
        yield Finding("locale", "warning", found, "Set LANG=C.UTF-8, or PYTHONUTF8=1, for the collector's user.")


def project(patient: Patient) -> Iterator[Finding]:
    """The file that relative places are relative to."""
    if patient.cfg:
        yield Finding("scrapy.cfg", "ok", patient.cfg)
    else:
        do = "Change to the project's folder, or give RORI_STAGING and RORI_DATABASE_URL as absolute paths."
        yield Finding("scrapy.cfg", "warning", "none here or above", do)


def variables(patient: Patient) -> Iterator[Finding]:
    """Variables of the environment that look like ours and are not."""
    sources = patient.in_force.catalog.sources if patient.in_force else ()
    strange = unknown(also=variables_of(sources))
    for name, meant in strange.items():
        yield Finding(
            "environment", "warning", f"{name} is no setting of this program{hint(meant)}", "Correct it, or unset it."
        )
    if not strange:
        yield Finding("environment", "ok", "every RORI_* variable is known")
