"""Read settings from the environment (for settings.py), check all of them, and convert them to their types.
Environment, settings.py and `-s` all pass here; problems are reported by name, all at once.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from rori_spiders.configuration.setting_types import (
    DERIVED_SCRAPY_SETTINGS,
    MAY_HOLD_SECRETS,
    SECRET_VARIABLES,
    SETTING_TYPES,
)
from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from scrapy.settings import BaseSettings


T = TypeVar("T")

#: The default of each setting that ``settings.py`` has read.
DEFAULTS: dict[str, object] = {}


def from_environment(name: str, default: T) -> T:
    """The value of the variable *name*, of its kind; *default* when it is not set, or empty.

    A wrong value is given as it is: ``apply_setting_types`` names it, where a person sees it.
    """
    DEFAULTS[name] = default
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        value: T = SETTING_TYPES[name].read(text)
    except (KeyError, ValueError):
        value = text  # type: ignore[assignment]
    return value


def unknown_variables(environment: Mapping[str, str] = os.environ, also: Collection[str] = ()) -> dict[str, str | None]:
    """The RORI_* variables that mean nothing to this program, each with what may have been meant.

    *also* are names that a manifest takes its headers from.
    """
    known = {*SETTING_TYPES, *SECRET_VARIABLES, *also}
    strange = sorted(name for name in environment if name.startswith("RORI_") and name not in known)
    return {name: next(iter(get_close_matches(name, known, n=1, cutoff=0.8)), None) for name in strange}


def spelling_hint(meant: str | None) -> str:
    """The end of a sentence about a name that is not known."""
    return f"; did you mean {meant}?" if meant else "; docs/reference/settings.md lists all settings"


# Settings of their types, wherever they were set.

#: Read from the environment by the processes that convert, which have no settings: so they get what `-s` says.
INHERITED_SETTINGS = ("RORI_OCR", "RORI_OCR_PAGES")
#: Scrapy's priority of `-s NAME=VALUE`: what was typed last wins over the environment.
CMDLINE_PRIORITY = 40


def check_settings(settings: BaseSettings) -> None:
    """Raise UsageError that names every RORI_* setting that is wrong or not known."""
    if wrong := find_setting_problems(settings):
        raise UsageError("\n".join(wrong.values()))


def apply_setting_types(settings: BaseSettings) -> None:
    """Check, and give each RORI_* setting its type. Raises UsageError as ``check`` does."""
    check_settings(settings)
    for name, kind in SETTING_TYPES.items():
        priority = settings.getpriority(name)
        if priority is not None and not isinstance(settings[name], list | tuple):
            text = _setting_text(settings, name)
            settings.set(name, kind.read(text) if text else DEFAULTS.get(name), priority=priority)
    for name in INHERITED_SETTINGS:
        if settings.getpriority(name) == CMDLINE_PRIORITY:
            os.environ[name] = str(settings[name])
    for ours, scrapys in DERIVED_SCRAPY_SETTINGS.items():
        priority = settings.getpriority(ours)
        if priority is not None and priority > (settings.getpriority(scrapys) or 0):
            settings.set(scrapys, settings[ours], priority=priority)


def find_setting_problems(settings: BaseSettings) -> dict[str, str]:
    """A sentence for each setting that holds what it cannot, and for each that was typed and does not exist."""
    found = {}
    for name, kind in SETTING_TYPES.items():
        text = _setting_text(settings, name)
        try:
            if text:
                kind.read(text)
        except ValueError:
            shown = "wrong" if name in MAY_HOLD_SECRETS else repr(settings[name])
            found[name] = f"{name} is {shown}; it must be {kind.values.replace('`', '')}."
    typed = [
        name for name in settings if str(name).startswith("RORI_") and settings.getpriority(name) == CMDLINE_PRIORITY
    ]
    for name, meant in unknown_variables(dict.fromkeys(map(str, typed), "")).items():
        found[name] = f"Unknown setting {name}{spelling_hint(meant)}"
    return found


def _setting_text(settings: BaseSettings, name: str) -> str:
    """What is to be read; "" for the default, and for a list, which only a settings module can hold."""
    value = settings.get(name)
    return "" if value is None or isinstance(value, list | tuple) else str(value).strip()


def setting_origin(name: str, settings: BaseSettings, environment: Mapping[str, str] = os.environ) -> str:
    """Where the value of *name* comes from: ``command line``, ``environment``, ``settings.py`` or ``default``."""
    if (settings.getpriority(name) or 0) >= CMDLINE_PRIORITY:
        return "command line"
    if environment.get(name, "").strip():
        return "environment"
    return "default" if settings.get(name) == DEFAULTS.get(name) else "settings.py"
