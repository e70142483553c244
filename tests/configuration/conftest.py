"""Commands typed in a project's folder, as in `tests/commands`."""

from tests.commands.conftest import three, typed

__all__ = ["three", "typed"]
