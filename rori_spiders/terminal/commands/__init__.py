"""Scrapy commands, one module each, named as typed. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted,
and Ctrl-C is answered with a word. ``main`` is the program ``rori``.
"""

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from difflib import get_close_matches
from importlib.metadata import entry_points
from io import StringIO
from pkgutil import iter_modules
from typing import Any

from rori_spiders.configuration.env_file import env_file_path, load_env_file
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime import redacted_output

redacted_output.install_redaction()


def main() -> None:
    """Run ``scrapy ARGS`` with the settings of this project, in any folder: the console script ``rori``.

    Variables of the file ``.env`` beside ``scrapy.cfg`` count where the environment has none of the name.
    """
    from scrapy import commands
    from scrapy.cmdline import execute
    from scrapy.utils.conf import closest_scrapy_cfg, get_config

    try:
        load_env_file(env_file_path(closest_scrapy_cfg()))
    except UsageError as error:
        raise SystemExit(f"rori: {error}") from None
    if not get_config().has_option("settings", "default"):
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "rori_spiders.settings")
    typed = next((word for word in sys.argv[1:] if not word.startswith("-")), None)
    names = {module.name for folder in (commands.__path__, __path__) for module in iter_modules(folder)}
    if typed not in names:  # each installed package is asked for its commands: 8 ms
        names |= {one.name for one in entry_points(group="scrapy.commands")}
    if typed in names:
        execute()
    else:
        _print_overview(execute, [] if typed is None else get_close_matches(typed, names, n=1))


def _print_overview(execute: Callable[[], None], near: list[str]) -> None:
    """What Scrapy prints without a command, or with an unknown one, about this program."""
    code: Any = 0
    with redirect_stdout(StringIO()) as overview:
        try:
            execute()
        except SystemExit as end:
            code = end.code
    text = overview.getvalue().replace("scrapy <command>", "rori <command>").replace('Use "scrapy"', 'Use "rori"')
    try:
        sys.stdout.write(text + "".join(f"Did you mean {name!r}?\n" for name in near))
        sys.stdout.flush()
    except BrokenPipeError:
        redacted_output.drop_output()
    sys.exit(code)
