"""From bytes to the parsed file: size, encoding, code fences, notation, unfit characters.

In: a path, bytes or text. Out: dicts and lists. Raises NotationError where nothing can be judged further; what can
be named together with other problems is returned as a problem.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rori_spiders.manifest.notation import MAX_DEPTH, TOO_DEEP, Entries, NotationError, read_json, read_yaml
from rori_spiders.manifest.problems import Path as JsonPath
from rori_spiders.manifest.problems import Problem

# fthb.json, with 199 sources, has a quarter of a MiB: a manifest of 5 MiB is another file by mistake.
MAX_BYTES = 5 * 1024 * 1024

#: In lines, or in braces: JSON has its keys in quotes there.
_YAML_KEY = re.compile(r"[\"']?[$a-z_]+[\"']?:(\s|$)|\{\s*[$a-z_]+:\s")
#: Before the first key: comments, and what begins a document.
_YAML_BEFORE = ("#", "---", "%")
_NOT_ALONE = "this is not known for YAML without its file's ending: begin it with `version:` on a line of its own"
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def spoken(origin: str) -> str:
    """What a message calls the file."""
    return "standard input" if origin == "-" else origin


def bytes_of(path: str | Path) -> bytes:
    """Content of a file, or of standard input for ``-``; no more than it takes to see that it is too large."""
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotationError("no such file") from None
    except IsADirectoryError:
        raise NotationError("is a directory; a manifest is a file") from None
    except (OSError, ValueError) as error:
        raise NotationError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def text_of(content: str | bytes) -> str:
    """The text of a manifest: UTF-8, with or without a byte order mark."""
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(raw) > MAX_BYTES:
        raise NotationError(f"larger than {MAX_BYTES // 1024 // 1024} MiB: that is no manifest", outright=True)
    if (position := raw.find(b"\0")) >= 0:
        raise NotationError(f"holds a NUL byte (byte {position}): expected text in UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotationError(f"is not UTF-8 text (line {line}, byte {error.start})") from None


@dataclass(frozen=True)
class Fenced:
    """What stood inside a code fence."""

    text: str  # lines keep their numbers
    language: str  # json, yaml, or nothing


def fenced(text: str) -> Fenced | None:
    """The inside of the code fence that a language model wrapped its answer in; None without one, or not alone."""
    opening, newline, rest = text.strip().partition("\n")
    language = opening.strip().removeprefix("```").strip()
    if not newline or not opening.startswith("```") or not (language.isalnum() or not language):
        return None
    if not rest.endswith("```") or _has_fence(rest[:-3]):
        return None
    lines_before = text[: text.index("```")].count("\n") + 1
    return Fenced("\n" * lines_before + rest[:-3], language.lower())


def _has_fence(text: str) -> bool:
    return any(line.lstrip().startswith("```") for line in text.splitlines())


def value_of(text: str, origin: str) -> Any:
    """Parse by the file's ending; without one, by what the text looks like. Text around a code fence is refused."""
    inside, is_yaml = notation_of(text, origin)
    if is_yaml:
        return read_yaml(inside)
    if inside is text and not text.lstrip().startswith(("{", "[")) and _has_fence(text):
        raise NotationError(
            "text around the code fence, or a fence without an end: give the manifest alone, without commentary"
        )
    return read_json(inside)


def notation_of(text: str, origin: str) -> tuple[str, bool]:
    """What is to be parsed, whose lines are numbered as in *text*; and whether that is YAML."""
    if inside := fenced(text):
        return inside.text, inside.language in {"yaml", "yml"}
    ending = Path(origin).suffix.lower()
    return text, ending in {".yaml", ".yml"} or (ending != ".json" and _looks_like_yaml(text))


def kept_of(text: str, origin: str, value: Any) -> str:
    """*text* without a code fence: what the ledger keeps of it, without its file's ending.

    Raises NotationError where that alone is not read as *value*.
    """
    inside = fenced(text)
    kept = inside.text.strip() + "\n" if inside else text
    if notation_of(kept, "") != notation_of(text, origin):
        try:
            same = value_of(kept, "") == value
        except NotationError:
            same = False
        if not same:
            raise NotationError(_NOT_ALONE, (1, 1))
    return kept


def _looks_like_yaml(text: str) -> bool:
    """Whether the first line that says something is a key of ours; prose does not begin so."""
    told = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(_YAML_BEFORE))
    return _YAML_KEY.match(next(told, "")) is not None


def clean(value: Any) -> tuple[Any, list[Problem]]:
    """*value* with unfit characters replaced, so that the rest can be judged, and what was wrong."""
    problems: list[Problem] = []
    return _cleaned(value, (), problems), problems


def _cleaned(value: Any, path: JsonPath, problems: list[Problem]) -> Any:
    if len(path) > MAX_DEPTH:
        problems.append(Problem(path[:8], TOO_DEEP))
        return None
    if isinstance(value, str):
        return _fit(value, path, problems)
    if isinstance(value, list):
        return [_cleaned(item, (*path, index), problems) for index, item in enumerate(value)]
    if isinstance(value, Entries):
        problems += [
            Problem((*path, _fit(key, path, problems)), "the key stands twice: remove one") for key in value.repeated
        ]
        return {
            (fit := _fit(key, path, problems)): _cleaned(item, (*path, fit), problems) for key, item in value.items()
        }
    return value


def fit(text: str) -> str:
    """*text* with characters that no text has replaced: as paths of problems name keys."""
    return _UNFIT.sub("\ufffd", text)


def _fit(text: str, path: JsonPath, problems: list[Problem]) -> str:
    found = _UNFIT.search(text)
    if found is None:
        return text
    problems.append(Problem(path, f"holds a character that no text has (U+{ord(found[0]):04X})"))
    return fit(text)
