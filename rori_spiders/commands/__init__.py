"""Scrapy commands, one module each, named as typed. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted,
and Ctrl-C is answered with a word. ``main`` is the program ``rori``.
"""

from __future__ import annotations

import os

from rori_spiders.configuration.env_file import env_file_path, load_env_file
from rori_spiders.exceptions import UsageError
from rori_spiders.runtime import redacted_output

redacted_output.install_redaction()


def main() -> None:
    """Run ``scrapy ARGS`` with the settings of this project, in any folder: the console script ``rori``.

    Variables of the file ``.env`` beside ``scrapy.cfg`` count where the environment has none of the name.
    """
    from scrapy.cmdline import execute
    from scrapy.utils.conf import closest_scrapy_cfg, get_config

    try:
        load_env_file(env_file_path(closest_scrapy_cfg()))
    except UsageError as error:
        raise SystemExit(f"rori: {error}") from None
    if not get_config().has_option("settings", "default"):
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "rori_spiders.settings")
    execute()
