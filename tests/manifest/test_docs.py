"""docs/reference/manifest.md says what the models, the globs and the messages really do."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rori_spiders.manifest.base import StrictModel
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.manifest.models import (
    DomainRules,
    Expectation,
    FieldDefinition,
    FromEnvironment,
    Interaction,
    Manifest,
    MediaWikiScope,
    ScrapeConfig,
    Source,
    SourceMetadata,
    Subject,
)
from rori_spiders.manifest.scope import Glob
from rori_spiders.manifest.vocabulary import DEFAULT_FREQUENCIES, MEANINGS
from tests.support.cases import cases

DOCUMENT = (Path(__file__).parents[2] / "docs" / "reference" / "manifest.md").read_text(encoding="utf-8")
SECTIONS: dict[str, type[StrictModel]] = {
    "The file": Manifest,
    "A source": Source,
    "scrape_config": ScrapeConfig,
    "headers": FromEnvironment,
    "expect": Expectation,
    "mediawiki": MediaWikiScope,
    "interactions": Interaction,
    "domains": DomainRules,
    "metadata": SourceMetadata,
    "fields": FieldDefinition,
    "subjects": Subject,
}


def section(title: str) -> str:
    match = re.search(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert match, f"no section {title!r}"
    return match[1]


def rows(text: str) -> list[list[str]]:
    """Rows of the tables of *text*, without their heads."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines][1:]


def test_manifest_docs_every_model_has_section() -> None:
    # Other rooms have parts of their own, which are known once a test has imported them.
    of_manifest = {one for one in StrictModel.__subclasses__() if one.__module__.startswith("rori_spiders.manifest.")}
    assert set(SECTIONS.values()) == of_manifest


@cases("title", SECTIONS)
def test_manifest_docs_every_field_has_default(title: str) -> None:
    documented = {row[0].strip("`"): row for row in rows(section(title))}
    model = SECTIONS[title]
    assert set(documented) == {field.alias or name for name, field in model.model_fields.items()}
    for name, field in model.model_fields.items():
        default = documented[field.alias or name][2]
        if field.is_required():
            assert default == "**required**"
        elif field.default_factory is None and field.default not in (None, ()):
            assert default == f"`{json.dumps(field.default)}`"
        else:
            assert default == "none"


def test_manifest_docs_every_word_is_documented() -> None:
    documented = {(row[0].strip("`"), row[1].strip("`")): row[2] for row in rows(section("Words"))}
    for field, words in MEANINGS.items():
        for word, what in words.items():
            assert documented[field, word].startswith(what)
    for category, frequency in DEFAULT_FREQUENCIES.items():
        assert documented["category", category].endswith(f"→ {frequency}")


def test_manifest_docs_glob_table_is_true() -> None:
    for pattern, matching, other in rows(section("Scope and patterns")):
        glob = Glob(pattern.strip("`"))
        assert re.findall(r"`(.+?)`", matching) or "everything" in matching
        assert all(glob.matches(target) for target in re.findall(r"`(.+?)`", matching)), pattern
        assert not any(glob.matches(target) for target in re.findall(r"`(.+?)`", other)), pattern


def test_manifest_docs_example_is_valid() -> None:
    example = re.search(r"```json\n(\{\n.*?)```", DOCUMENT, re.DOTALL)
    assert example
    assert (
        parse_manifest(example[1], name="example", origin="example.json").manifest.sources[0].scrape_config.max_depth
        == 3
    )


def test_manifest_docs_messages_are_current() -> None:
    given = "\n".join(
        path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "fixtures").glob("*/expected.txt")
    )
    given += "larger than 5 MiB; the id is taken by a source of one.json"
    for message, _ in rows(section("When something is wrong")):
        for quoted in re.findall(r"`(.+?)`", message):
            for part in quoted.split(" ... "):
                assert part.removesuffix(" ...") in given, quoted
