"""What a setting may be: each kind says its values in words, for docs and errors, and reads them from text."""

from __future__ import annotations

import ipaddress
import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable

_YES, _NO = frozenset({"1", "true", "yes", "on"}), frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Kind:
    """``values``: what is allowed, in words that follow "must be". ``read`` raises ValueError for anything else."""

    values: str
    read: Callable[[str], Any]


def whole(least: int = 0, most: int | None = None) -> Kind:
    """A whole number from *least* on, *most* at most."""

    def read(text: str) -> int:
        number = int(text)
        if number < least or (most is not None and number > most):
            raise ValueError
        return number

    return Kind(f"a whole number from {least} {'on' if most is None else f'to {most}'}", read)


def number(*, above_zero: bool = False, unlimited: bool = False) -> Kind:
    """A number from 0 on, or above it; with *unlimited* also ``inf``."""

    def read(text: str) -> float:
        value = float(text)
        too_small = value <= 0 if above_zero else value < 0
        if too_small or math.isnan(value) or (math.isinf(value) and not unlimited):
            raise ValueError
        return value

    return Kind(f"a number {'above 0' if above_zero else 'from 0 on'}{', or `inf`' if unlimited else ''}", read)


def one_of(*words: str, of: Callable[[str], str] = str) -> Kind:
    """One of *words*; *of* brings what was written to their case."""

    def read(text: str) -> str:
        if of(text) not in words:
            raise ValueError
        return of(text)

    return Kind(" or ".join(filter(None, [", ".join(f"`{word}`" for word in words[:-1]), f"`{words[-1]}`"])), read)


def _switch(text: str) -> bool:
    word = text.lower()
    if word not in _YES | _NO:
        raise ValueError
    return word in _YES


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError
    return text


def several(what: str, check: Callable[[str], Any]) -> Kind:
    """Words separated by commas, each of which *check* takes; it raises ValueError for one that it does not know."""

    def read(text: str) -> str:
        for word in filter(None, map(str.strip, text.split(","))):
            check(word)
        return text

    return Kind(f"{what}, separated by commas", read)


def text(what: str) -> Kind:
    """Anything, described as *what*; whoever uses it knows more."""
    return Kind(what, str)


def network(text: str) -> object:
    """An address, or a block of them; ValueError for anything else."""
    return ipaddress.ip_network(text, strict=False)


switch = Kind("`1`, `true`, `yes`, `0`, `false` or `no`", _switch)
address = Kind("an http or https URL", _address)
ip_address = Kind("an IP address", lambda given: str(ipaddress.ip_address(given)))
uuid = Kind("a UUID", lambda given: str(UUID(given)))
log_level = one_of(
    *(name for name in logging.getLevelNamesMapping() if name not in {"NOTSET", "WARN", "FATAL"}), of=str.upper
)
