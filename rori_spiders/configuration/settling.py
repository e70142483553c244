"""Settings as they hold: of their types, wherever they were set; what is wrong is told by name, all of it at once.

In: Scrapy's settings. Out: the same, typed. Environment, ``settings.py`` and ``-s`` all pass here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rori_spiders.configuration.environment import DEFAULTS, hint, unknown
from rori_spiders.configuration.table import FOLLOWING, KINDS, MAY_HOLD_SECRETS
from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

# Scrapy's priority of `-s NAME=VALUE`.
_CMDLINE = 40


def check(settings: BaseSettings) -> None:
    """Raise UsageError that names every RORI_* setting that is wrong or not known."""
    if wrong := problems(settings):
        raise UsageError("\n".join(wrong.values()))


def settle(settings: BaseSettings) -> None:
    """Check, and give each RORI_* setting its type. Raises UsageError as ``check`` does."""
    check(settings)
    for name, kind in KINDS.items():
        priority = settings.getpriority(name)
        if priority is not None and not isinstance(settings[name], list | tuple):
            given = _text(settings, name)
            settings.set(name, kind.read(given) if given else DEFAULTS.get(name), priority=priority)
    for ours, scrapys in FOLLOWING.items():
        priority = settings.getpriority(ours)
        if priority is not None and priority > (settings.getpriority(scrapys) or 0):
            settings.set(scrapys, settings[ours], priority=priority)


def problems(settings: BaseSettings) -> dict[str, str]:
    """A sentence for each setting that holds what it cannot, and for each that was typed and does not exist."""
    found = {}
    for name, kind in KINDS.items():
        given = _text(settings, name)
        try:
            if given:
                kind.read(given)
        except ValueError:
            shown = "wrong" if name in MAY_HOLD_SECRETS else repr(settings[name])
            found[name] = f"{name} is {shown}; it must be {kind.values.replace('`', '')}."
    typed = [name for name in settings if str(name).startswith("RORI_") and settings.getpriority(name) == _CMDLINE]
    for name, meant in unknown(dict.fromkeys(map(str, typed), "")).items():
        found[name] = f"{name} is no setting of this program{hint(meant)}"
    return found


def _text(settings: BaseSettings, name: str) -> str:
    """What is to be read; "" for the default, and for a list, which only a settings module can hold."""
    value = settings.get(name)
    return "" if value is None or isinstance(value, list | tuple) else str(value).strip()


def origin(name: str, settings: BaseSettings, environment: Mapping[str, str] = os.environ) -> str:
    """Where the value of *name* comes from: ``command line``, ``environment``, ``settings.py`` or ``default``."""
    if (settings.getpriority(name) or 0) >= _CMDLINE:
        return "command line"
    if environment.get(name, "").strip():
        return "environment"
    return "default" if settings.get(name) == DEFAULTS.get(name) else "settings.py"
