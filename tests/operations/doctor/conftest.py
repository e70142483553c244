"""Commands typed in a project's folder, as in `tests/terminal/commands`."""

from tests.terminal.commands.conftest import collected, three, typed

__all__ = ["collected", "three", "typed"]
