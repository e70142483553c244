"""Commands typed in a project's folder, as in `tests/terminal/commands`."""

from tests.terminal.commands.conftest import three, typed

__all__ = ["three", "typed"]
