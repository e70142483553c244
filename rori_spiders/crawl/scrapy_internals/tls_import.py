"""Imports Scrapy's TLS classes without the price that Scrapy puts on their deprecated names: half a second of a start.

For the module of each such name Scrapy asks ``inspect.stack``, which reads the source of every frame above the import,
and ``inspect.getmodule``, which looks up the file of every module.
Import this module before any other of ``scrapy.core.downloader``.
"""

import inspect
import sys
from types import FrameType, ModuleType
from typing import Any


def _caller_only() -> list[tuple[Any]]:
    """What `scrapy.utils.deprecate` looks at of the stack: the frame that called it, second in the list."""
    return [(None,), (sys._getframe(2),)]


def _module_of(frame: FrameType) -> ModuleType | None:
    return sys.modules.get(frame.f_globals["__name__"])


_originals = {name: vars(inspect)[name] for name in ("stack", "getmodule")}
vars(inspect).update(stack=_caller_only, getmodule=_module_of)
try:
    import scrapy.core.downloader.contextfactory  # noqa: F401
finally:
    vars(inspect).update(_originals)
