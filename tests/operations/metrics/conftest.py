"""Commands typed in a project's folder, as in `tests/commands`."""

from tests.commands.conftest import collected, three, typed

__all__ = ["collected", "three", "typed"]
