"""The file ``.env`` beside ``scrapy.cfg``: settings that the program ``rori`` adds to its environment."""

import os
import shlex
from pathlib import Path

from rori_spiders.exceptions import UsageError

#: The variables that this process has from the file: the environment had none of the name.
LOADED: set[str] = set()


def env_file_path(cfg: str) -> Path:
    """The file beside the ``scrapy.cfg`` at *cfg*; where there is none, in this folder."""
    return Path(cfg).with_name(".env") if cfg else Path(".env")


def load_env_file(path: Path) -> None:
    """Add the variables of the file at *path* to the environment, where it has none of the name."""
    for name, value in read_env_file(path).items():
        if name not in os.environ:
            os.environ[name] = value
            LOADED.add(name)


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
