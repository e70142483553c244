"""Scrapy commands, one module each, named as typed. Each parses options, calls a step, and prints.

Scrapy imports this room before anything else, whatever was typed: from here on nothing is logged that is not redacted,
and Ctrl-C is answered with a word. ``main`` is the program ``rori``.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from rori_spiders.exceptions import UsageError
from rori_spiders.runtime import redacted_output

redacted_output.install_redaction()


def main() -> None:
    """Run ``scrapy ARGS`` with the settings of this project, in any folder: the console script ``rori``.

    Variables of the file ``.env`` beside ``scrapy.cfg`` count where the environment has none of the name.
    """
    from scrapy.cmdline import execute
    from scrapy.utils.conf import closest_scrapy_cfg, get_config

    cfg = closest_scrapy_cfg()
    try:
        for name, value in read_env_file(Path(cfg).with_name(".env") if cfg else Path(".env")).items():
            os.environ.setdefault(name, value)
    except UsageError as error:
        raise SystemExit(f"rori: {error}") from None
    if not get_config().has_option("settings", "default"):
        os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "rori_spiders.settings")
    execute()


def read_env_file(path: Path) -> dict[str, str]:
    """The variables of a file with lines ``NAME=VALUE``, comments and quotes as in a shell; none without the file.

    Nothing is expanded. Raises UsageError for a line that is none.
    """
    variables: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = [""]
        if words[:1] == ["export"]:
            words = words[1:]
        if not words:
            continue
        name, equals, value = words[0].partition("=")
        if len(words) > 1 or not equals or not name.isidentifier():
            raise UsageError(f"{path}, line {number} is not NAME=VALUE; a value with spaces needs quotes")
        variables[name] = value
    return variables
