"""Where the site rules of a domain are: ``{domain}.yaml`` in a folder of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.site_rules import read_rules
from rori_spiders.exceptions import UsageError

if TYPE_CHECKING:
    from pathlib import Path

#: A longer file is another one by mistake.
_MOST_CHARS = 200_000


def rules_text(folder: Path, domain: str) -> str:
    """The text of the rules of *domain*, which are valid; "" where there are none. Raises UsageError."""
    file = folder / f"{domain}.yaml"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    if len(text) > _MOST_CHARS:
        raise UsageError(f"{file} is longer than {_MOST_CHARS:,} characters: these are no site rules")
    read_rules(text, str(file))
    return text
