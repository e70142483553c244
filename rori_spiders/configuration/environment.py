"""One setting from the environment, for ``settings.py``; and the variables there that are none of ours."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from rori_spiders.configuration.table import KINDS, SECRETS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

T = TypeVar("T")

#: The default of each setting that ``settings.py`` has read.
DEFAULTS: dict[str, object] = {}


def from_environment(name: str, default: T) -> T:
    """The value of the variable *name*, of its kind; *default* when it is not set, or empty.

    A wrong value is given as it is: ``settling`` names it, where a sentence reaches whoever can mend it.
    """
    DEFAULTS[name] = default
    given = os.environ.get(name, "").strip()
    if not given:
        return default
    try:
        value: T = KINDS[name].read(given)
    except (KeyError, ValueError):
        value = given  # type: ignore[assignment]
    return value


def unknown(environment: Mapping[str, str] = os.environ, also: Collection[str] = ()) -> dict[str, str | None]:
    """The RORI_* variables that mean nothing to this program, each with what may have been meant.

    *also* are names that a manifest takes its headers from.
    """
    known = {*KINDS, *SECRETS, *also}
    strange = sorted(name for name in environment if name.startswith("RORI_") and name not in known)
    return {name: next(iter(get_close_matches(name, known, n=1, cutoff=0.8)), None) for name in strange}


def hint(meant: str | None) -> str:
    """The end of a sentence about a name that is not known."""
    return f"; did you mean {meant}?" if meant else "; docs/settings.md lists those that are"
