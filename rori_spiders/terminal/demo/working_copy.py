"""The copy of the built site that the demo serves: made in a working folder, and edited there."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from rori_spiders.exceptions import UsageError

_PAGE = "/rules-policy/regulations/1007/103/"
_FIGURE = re.compile(r"(within )(\d+)( days from the effective date of the acquisition, merger, or reorganization)")
_STAMP = "_built.txt"


@dataclass(frozen=True)
class FigureEdit:
    """The change by `edit`: the page's path, and the words around the figure before and after."""

    page: str
    before: str
    after: str


def packaged_site() -> dict[str, bytes]:
    """The files of the built site by their path, as the package carries them."""
    return dict(_walk_files(files(__package__) / "site", ""))


def prepare_site(folder: Path) -> Path:
    """Copy the packaged site to *folder*, unless the same site is there already, edited or not. Returns *folder*."""
    built = packaged_site()
    stamp = _site_stamp(built)
    marker = folder / _STAMP
    if marker.is_file() and marker.read_text(encoding="utf-8") == stamp:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    for name, body in built.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    marker.write_text(stamp, encoding="utf-8")  # last: a copy that was cut short is made anew
    return folder


def edit_figure(folder: Path) -> FigureEdit:
    """Raise one figure on one page of the prepared site by one: a number of days in § 1007.103(a)(4)(ii).

    Each call changes it anew. Raises UsageError when *folder* holds no demo site.
    """
    file = folder / _PAGE.strip("/") / "index.html"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"No demo site in {folder} ({problem.strerror}): run `scrapy demo` first.") from problem
    found = _FIGURE.search(text)
    if found is None:
        raise UsageError(f"No number to change in {file}: delete {folder} and run `scrapy demo` again.")
    after = f"{found[1]}{int(found[2]) + 1}{found[3]}"
    part = file.with_suffix(".part")
    part.write_text(text[: found.start()] + after + text[found.end() :], encoding="utf-8")
    part.replace(file)
    return FigureEdit(_PAGE, found[0], after)


def _walk_files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk_files(entry, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def _site_stamp(built: dict[str, bytes]) -> str:
    """What tells one built site from another: the SHA-256 over its files."""
    digest = sha256()
    for name in sorted(built):
        digest.update(f"{name}\0{len(built[name])}\0".encode() + built[name])
    return digest.hexdigest()
