"""Try how a site's pages would be cut out: kept pages converted without a recipe and with it, line by line.

A recipe is a small file: whose pages it is for, by texts that stand in their bytes, and the selectors of
`scrape_config`. Those of the package lie in `manifests/recipes/`; each says on which pages it was proven.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError
from sqlalchemy import select

from rori_spiders.content.convert import digest
from rori_spiders.crawl.tiers.order import restore_page
from rori_spiders.exceptions import ConversionError, DamagedObject, UsageError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.tables import pages, versions
from rori_spiders.manifest.base import Css, OneLineText, StrictModel
from rori_spiders.manifest.json_yaml import NotationError, read_yaml
from rori_spiders.manifest.models import Many  # noqa: TC001  # pydantic reads annotations
from rori_spiders.urls.canonical import host_of
from rori_spiders.workers.conversion import conversion_weight

if TYPE_CHECKING:
    from asyncio import Runner

    from sqlalchemy import Row

    from rori_spiders.content.options import Options
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from rori_spiders.workers.pool import WorkPool

PACKAGED = files("rori_spiders") / "manifests" / "recipes"


class Recipe(StrictModel):
    """How pages of one make are cut out."""

    about: OneLineText = Field(description="Of which pages it is", examples=["Posts of WordPress"])
    signs: Many[OneLineText] = Field(
        (), description="Texts of which one stands in the bytes of each such page", examples=[["/wp-content/"]]
    )
    content_selector: Css | None = Field(None, description="As in `scrape_config`", examples=["main"])
    remove_selectors: Many[Css] = Field((), description="As in `scrape_config`", examples=[["#comments"]])

    def fits(self, body: bytes) -> bool:
        """Whether a page is of this make."""
        return not self.signs or any(sign.encode() in body for sign in self.signs)

    def applied_to(self, options: Options) -> Options:
        """*options* with what the recipe adds to them."""
        return replace(
            options,
            content_selector=self.content_selector or options.content_selector,
            remove_selectors=(*options.remove_selectors, *self.remove_selectors),
        )


def list_packaged_recipes() -> dict[str, Recipe]:
    """The recipes of the package, by name."""
    names = sorted(entry.name for entry in PACKAGED.iterdir() if entry.name.endswith(".yaml"))
    return {name.removesuffix(".yaml"): _parse((PACKAGED / name).read_text("utf-8"), name) for name in names}


def load_recipe(name: str) -> Recipe:
    """A recipe of the package by its name, or that of a file. Raises UsageError."""
    packaged = list_packaged_recipes()
    if name in packaged:
        return packaged[name]
    try:
        return _parse(Path(name).read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name!r} is neither a recipe ({', '.join(packaged)}) nor a readable file") from error


def _parse(text: str, name: str) -> Recipe:
    try:
        return Recipe.model_validate(read_yaml(text))
    except NotationError as error:
        raise UsageError(f"{name}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{name}: {'.'.join(map(str, first['loc'])) or 'the file'}: {first['msg']}") from error


@dataclass(frozen=True, slots=True)
class RecipeTrial:
    """What a recipe changes on one page: lines that its text loses and gains. *error*: why it has none then."""

    url: str
    source_id: str
    chars: int
    chars_with: int
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    error: str | None = None


def list_host_pages(ledger: Ledger, host: str) -> list[Row[Any]]:
    """The newest text of each page of *host*, and of the hosts below it, by URL."""
    of_page = [pages.c[name] for name in ("source_id", "url", "url_hash")]
    of_version = [versions.c[name] for name in ("run_id", "raw_object", "tier")]
    newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    query = select(*of_page, *of_version).join_from(pages, versions, newest)
    with ledger.connect() as conn:
        rows = conn.execute(query.where(versions.c.change_type != "deleted").order_by(pages.c.url)).all()
    return [row for row in rows if f".{host_of(row.url)}".endswith(f".{host}")]


class RecipeTester:
    """Converts kept pages twice, where those of a crawl are converted: their bytes are other people's."""

    def __init__(self, ledger: Ledger, store: Store, pool: WorkPool, runner: Runner) -> None:
        self._ledger, self._store, self._pool, self._runner = ledger, store, pool, runner

    def compare(self, row: Row[Any], before: Options, recipe: Recipe) -> RecipeTrial | None:
        """What *recipe* changes on the page of *row*; None for a page that it is not for."""
        with self._ledger.connect() as conn:
            came = audit_log.response_of_version(conn, row.run_id, row.url_hash)
        url = (came and came.final_url) or row.url
        try:
            raw = self._store.get_object(row.raw_object)
            body, kind = restore_page(row.tier, raw, came.content_type if came else None, url)
            if not recipe.fits(body):
                return None
            old = self._text(body, url, kind, before)
        except (ConversionError, DamagedObject, FileNotFoundError, ValueError) as error:
            return RecipeTrial(row.url, row.source_id, 0, 0, error=f"not converted without it either: {error}")
        try:
            new = self._text(body, url, kind, recipe.applied_to(before))
        except ConversionError as error:
            return RecipeTrial(row.url, row.source_id, len(old), 0, error=str(error))
        lines, lines_with = _count_lines(old), _count_lines(new)
        lost, gained = (lines - lines_with).elements(), (lines_with - lines).elements()
        return RecipeTrial(row.url, row.source_id, len(old), len(new), tuple(lost), tuple(gained))

    def _text(self, body: bytes, url: str, kind: str | None, options: Options) -> str:
        work = self._pool.run(conversion_weight(body), digest, body, url=url, content_type=kind, options=options)
        return self._runner.run(work).markdown


def _count_lines(text: str) -> Counter[str]:
    return Counter(line for line in map(str.strip, text.splitlines()) if line)
