"""Write what docs/reference takes from the code: ``python docs/generate.py``; ``--check`` names what is out of date.

A page is made whole, or a part of it between two comments (``_BEGIN``, ``_END``). A new one is a function and its row
in ``PAGES`` or ``PARTS``.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rori_spiders
from rori_spiders import exceptions
from rori_spiders.configuration.setting_types import SETTING_TYPES
from rori_spiders.envelope.models import render_schema
from rori_spiders.evidence.export.datasets import DATASETS
from rori_spiders.exceptions import RoriError
from rori_spiders.manifest.schema import json_schema
from rori_spiders.operations.metrics import definitions
from rori_spiders.reasons import SENTENCES, ReasonCode
from rori_spiders.reviews.events import EVENTS
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.commands.completion import list_commands
from rori_spiders.verdicts.judge import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy.commands import ScrapyCommand

    from rori_spiders.terminal.listing import Column

REFERENCE = Path(__file__).parent / "reference"
PACKAGE = Path(rori_spiders.__file__).parent
GLOSSARY = REFERENCE.with_name("glossary.toml")
OPENAPI = PACKAGE / "monitor" / "web" / "openapi.json"


def render_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in markdown; a bar in a cell is escaped."""
    lines = [list(head), ["---"] * len(list(head)), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


_API_HEAD = """# The monitor's API

The endpoints that the monitor's page uses, behind the same sign-in, or with a token of a person
(`scrapy monitor tokens`). Within `/api/v1` a release only adds. A running monitor serves the OpenAPI document at
`/api/v1/openapi.json`; the form of errors, scopes of tokens and the header that POST needs are in
[monitor.md](../how-to/monitor.md#the-api).
"""
_GLOSSARY_HEAD = """# Glossary

The terms of the code, the commands, the logs and these pages. A term has one name everywhere; the words that it
replaces are withdrawn, and `tests/house/test_glossary.py` fails on them. The data are in `docs/glossary.toml`.
"""
_EXPORT_COLUMNS_HEAD = """# Columns of exports

The columns of `scrapy export` ([export data](../how-to/export-data.md)), in their order. The columns of `audit` are
those of the ledger's table ([ledger](ledger.md)). Later versions only add columns.

| type | JSON Lines, CSV | Parquet | SQLite |
| --- | --- | --- | --- |
| text | text | string | TEXT |
| integer | number | int64 | INTEGER |
| number | number | double | REAL |
| boolean | true, false | bool | 0, 1 |
| time | `2026-02-13T14:30:00Z` | timestamp in microseconds, UTC | TEXT, as in JSON |
| texts | a list; in CSV as JSON | list of string | JSON as TEXT |
| json | any JSON; in CSV as text | JSON as string | JSON as TEXT |
"""
_VERDICT_RULES_HEAD = """# Verdict rules

The tables in `rori_spiders/verdicts/*_rules.py`; [verdicts.md](verdicts.md) explains how they are read. "Up to" is the
number of characters of its own text that a page may have for the rule to count.

"""


# --- commands ----------------------------------------------------------------------------------------------------


def parser_of(name: str, command: ScrapyCommand) -> argparse.ArgumentParser:
    usage = f"scrapy {name} {command.syntax()}".strip()
    parser = argparse.ArgumentParser(prog=f"scrapy {name}", usage=usage, conflict_handler="resolve")
    if isinstance(command, RoriCommand):
        command.options(parser)  # without Scrapy's own, which commands.md describes once
    else:
        command.add_options(parser)
    return parser


def render_commands() -> str:
    """commands.md, with usage, verbs and options of each command as `-h` prints them."""
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    parts = {name: _render_command(name, command) for name, command in list_commands()}
    for name, part in {"Exit codes": _render_exit_codes(), **parts}.items():
        heading = f"\n## {name}\n\n"
        text = _fill_part(text, part, "docs/reference/commands.md", about=f" about {name}", heading=heading)
    return text


def _fill_part(text: str, part: str, name: str, *, about: str = "", heading: str = "") -> str:
    """*text* with *part* between the two comments behind *heading*, which may stand empty, one below the other."""
    before, begin, rest = text.partition(heading + _BEGIN)
    assert begin, f"{name} has no place for what is generated{about}"
    inner, end, after = rest.partition(_END)
    assert end and _BEGIN not in inner, f"{name}: what is generated{about} has no end"
    return f"{before}{begin}\n\n{part}\n{end}{after}"


def _render_exit_codes() -> str:
    """What each code means, and of each error its code and the page that a command names below it."""
    codes = render_table(("code", "meaning"), ((str(code), what) for code, what in exceptions.EXIT_CODES.items()))
    errors = [one for one in vars(exceptions).values() if isinstance(one, type) and issubclass(one, RoriError)]
    rows = [
        (one.__name__, str(one.exit_code), (one.__doc__ or "").split("\n")[0], _link_page(one.page))
        for one in errors
        if one is not RoriError
    ]
    return codes + "\n" + render_table(("error", "code", "what", "more"), rows)


def _link_page(page: str | None) -> str:
    if page is None:
        return "-"
    place = page.removeprefix("docs/")
    folder, _, name = place.partition("/")
    title = name.partition("#")[2].replace("-", " ").capitalize()
    return f"[{title}]({name if folder == REFERENCE.name else f'../{place}'})"


def _render_command(name: str, command: ScrapyCommand) -> str:
    parser = parser_of(name, command)
    usage = f"{command.short_desc()}.\n\n```\n{parser.usage}\n```\n"
    return usage + _render_options(parser) + "".join(_render_verbs(parser, f"scrapy {name}"))


def _render_verbs(parser: argparse.ArgumentParser, prefix: str) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for verb, own in action.choices.items():
                yield f"\n**`{prefix} {verb}`**: {helps.get(verb, '')}.\n"
                yield _render_options(own)
                yield from _render_verbs(own, f"{prefix} {verb}")


def _render_options(parser: argparse.ArgumentParser) -> str:
    rows = []
    for action in parser._actions:
        is_everywhere = action.dest in {"help", "set"} or action.help == argparse.SUPPRESS
        if is_everywhere or isinstance(action, argparse._SubParsersAction):
            continue
        named = isinstance(action.metavar, str) and "|" not in action.metavar
        value = str(action.metavar) if named else action.dest.upper()
        words = ", ".join(action.option_strings) or value
        if action.option_strings and action.nargs != 0:
            words += f" {value}"
        what = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
        choices = [str(choice) for choice in action.choices or ()]
        if not all(choice in what for choice in choices):
            what += "; one of " + ", ".join(f"`{choice}`" for choice in choices)
        rows.append((f"`{words}`", what))
    return "\n" + render_table(("option", "what"), rows) if rows else ""


# --- settings, alerts, metrics, verdicts -------------------------------------------------------------------------


def read_defaults() -> dict[str, Any]:
    """The project's settings as they are when the environment sets none."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("RORI_")}
    try:
        return runpy.run_path(str(PACKAGE / "settings.py"))
    finally:
        os.environ.update(kept)


def render_settings() -> str:
    defaults = read_defaults()
    rows = []
    for name, kind in sorted(SETTING_TYPES.items()):
        default = defaults[name]
        shown = "empty" if default == "" else f"`{int(default) if isinstance(default, float) else default}`"
        rows.append((f"[`{name}`](#{name.lower()})", shown, kind.values))
    return render_table(("setting", "default", "values"), rows)


def render_alerts() -> str:
    rows = [
        (f"`{name}`", one.severity, one.sent.replace("_", " "), one.opens, one.clears) for name, one in EVENTS.items()
    ]
    return render_table(("event", "severity", "sent", "opens when", "clears when"), rows)


def render_metrics() -> str:
    families = [one for one in vars(definitions).values() if isinstance(one, definitions.MetricDefinition)]
    rows: list[tuple[str, ...]] = [
        (f"`{one.name}`", one.kind, ", ".join(f"`{label}`" for label in one.labels) or "-", one.about)
        for one in families
    ]
    about = f"{definitions.RUN_SECONDS_ABOUT} (`_sum`, `_count`)"
    rows.append((f"`{definitions.RUN_SECONDS}`", "summary", "`method`", about))
    return render_table(("metric", "kind", "labels", "what"), rows)


#: Headings of the reason codes, each with the code that it begins with.
_REASON_HEADINGS = {
    ReasonCode.CAPTURED: "Captured, or unchanged",
    ReasonCode.OUTSIDE_HOSTS: "Excluded: never asked for, or another address of a page",
    ReasonCode.GONE: "Gone",
    ReasonCode.CHALLENGE: "Failed: what the server answered (the verdicts)",
    ReasonCode.HTTP_ERROR: "Failed: the answer is not usable",
    ReasonCode.NO_API: "Failed: no answer",
    ReasonCode.ROBOTS_UNAVAILABLE: "Failed: not asked",
    ReasonCode.CONVERSION_FAILED: "Failed: no text was made of it",
    ReasonCode.PROVIDER_UNREACHABLE: "Failed: a managed provider",
    ReasonCode.THIN: "Attempts: what came before the end",
    ReasonCode.COMPLETE: "Runs: how one ended",
}


def render_reason_codes() -> str:
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    for code in ReasonCode:
        if code in _REASON_HEADINGS:
            sections.append((_REASON_HEADINGS[code], []))
        sections[-1][1].append((f"`{code}`", f"`{SENTENCES[code] or ' '}`"))
    return "\n".join(f"## {name}\n\n{render_table(('code', 'sentence'), rows)}" for name, rows in sections)


def render_verdict_rules() -> str:
    rows = []
    for rule in RULES:
        also = f", {rule.also[0]}" if rule.also else ""
        limit = "any" if rule.place in ("url", "header") and rule.strength == "strong" else f"{rule.limit:,}"
        words = (f"`{rule.name}`", f"`{rule.kind}`", rule.vendor or "", rule.strength)
        rows.append((*words, rule.place + also, limit, rule.source))
    head = ("rule", "kind", "vendor", "strength", "looks at", "up to", "source")
    return _VERDICT_RULES_HEAD + render_table(head, rows)


# --- the monitor's API -------------------------------------------------------------------------------------------


def render_api() -> str:
    """Every endpoint with its parameters, bodies and answers."""
    document = json.loads(OPENAPI.read_text(encoding="utf-8"))
    parts = [_API_HEAD]
    tag = None
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            if one["tags"][0] != tag:
                tag = one["tags"][0]
                parts.append(f"\n## {tag.capitalize()}\n")
            parts.append(f"\n### {method.upper()} {path}\n\n{one['description']}\n")
            parts.append(_render_parameters(one))
    return "".join(parts)


def _render_parameters(endpoint: dict[str, Any]) -> str:
    rows = [
        (f"`{one['name']}`", one["in"], " ".join(one.get("description", "").split()))
        for one in endpoint.get("parameters", ())
    ]
    shown = "\n" + render_table(("parameter", "in", "what"), rows) if rows else ""
    body = _schema_of(endpoint.get("requestBody", {}))
    answer = _schema_of(next((one for code, one in endpoint["responses"].items() if code.startswith("2")), {}))
    lines = [f"Body: {body}." if body else "", f"Answer: {answer}." if answer else ""]
    return shown + "".join(f"\n{line}\n" for line in lines if line)


def _schema_of(holder: dict[str, Any]) -> str:
    for form, content in holder.get("content", {}).items():
        reference: str = content.get("schema", {}).get("$ref", "")
        return f"`{reference.rpartition('/')[2]}`" if reference else f"`{form}`"
    return ""


# --- glossary -----------------------------------------------------------------------------------------------------


def render_export_columns() -> str:
    sections = [
        f"\n## {name}\n\n"
        + render_table(
            ("column", "type", "what"),
            ((f"`{column.name}`", column.kind.partition("_")[0], column.description) for column in dataset.columns),
        )
        for name, dataset in DATASETS.items()
    ]
    return _EXPORT_COLUMNS_HEAD + "".join(sections)


def render_glossary() -> str:
    """Each term with its meaning, and the words that it replaces."""
    terms = tomllib.loads(GLOSSARY.read_text(encoding="utf-8"))["term"]
    parts = [_GLOSSARY_HEAD]
    for term in sorted(terms, key=lambda one: one["name"].casefold()):
        withdrawn = dict.fromkeys([*term.get("instead_of", ()), *term.get("names", ())])
        replaces = f" Replaces: {', '.join(withdrawn)}." if withdrawn else ""
        parts.append(f"\n## {term['name']}\n\n{term['is']}{replaces}\n")
    return "".join(parts)


# --- what commands print as JSON ----------------------------------------------------------------------------------

#: Of each listing the module and name of its columns.
_LISTINGS = {
    "alerts list": "terminal.alerts ALERT_COLUMNS",
    "as-of": "terminal.audit.point_in_time COLUMNS",
    "audit": "terminal.commands.audit COLUMNS",
    "changes list": "terminal.comparison.changes COLUMNS",
    "changes list --imported": "terminal.comparison.changes IMPORTED_COLUMNS",
    "changes owners": "terminal.comparison.changes _OWNER_COLUMNS",
    "changes rules": "terminal.comparison.changes _RULE_COLUMNS",
    "changes subscriptions": "terminal.comparison.subscriptions _COLUMNS",
    "collect --dry-run": "terminal.commands.collect FORECAST_COLUMNS",
    "corpus status": "terminal.corpus.listings RUN_COLUMNS",
    "corpus reconcile": "terminal.corpus.publishing DRIFT_COLUMNS",
    "corpus references": "terminal.corpus.listings REFERENCE_COLUMNS",
    "corpus review": "terminal.corpus.listings PAGE_COLUMNS",
    "corpus status --versions": "terminal.corpus.listings VERSION_COLUMNS",
    "corpus try-rules": "terminal.corpus.rule_trial EFFECT_COLUMNS",
    "dispatch": "terminal.commands.dispatch DISPATCH_COLUMNS",
    "due": "terminal.commands.due COLUMNS",
    "due --intervals": "terminal.commands.due INTERVAL_COLUMNS",
    "due --what-if": "terminal.commands.due WHAT_IF_COLUMNS",
    "evidence heads": "terminal.commands.evidence HEAD_COLUMNS",
    "evidence heads --destinations": "terminal.commands.evidence DESTINATION_COLUMNS",
    "evidence key list": "terminal.commands.evidence KEY_COLUMNS",
    "extract": "terminal.fields.extraction EXTRACTION_COLUMNS",
    "extract --estimate": "terminal.fields.extraction ESTIMATE_COLUMNS",
    "fields show": "terminal.fields.values COLUMNS",
    "import list": "terminal.commands.import FILE_COLUMNS",
    "import list --page": "terminal.commands.import CAPTURE_COLUMNS",
    "jobs list": "terminal.commands.jobs COLUMNS",
    "manifest validate --online": "terminal.manifests ONLINE_COLUMNS",
    "monitor tokens list": "terminal.commands.monitor TOKEN_COLUMNS",
    "monitor users list": "terminal.commands.monitor COLUMNS",
    "runs list": "terminal.commands.runs COLUMNS",
    "search": "terminal.commands.search COLUMNS",
    "sites recipes": "terminal.commands.sites RECIPE_COLUMNS",
    "sites test": "terminal.commands.sites TRIAL_COLUMNS",
    "sources list": "terminal.commands.sources COLUMNS",
    "sources list --review": "terminal.alerts REVIEW_COLUMNS",
    "staging copy": "terminal.commands.staging COLUMNS",
    "staging prune": "terminal.staging PRUNED_COLUMNS",
    "tiers": "terminal.tiers TIER_COLUMNS",
    "verify": "terminal.commands.verify COLUMNS",
}
#: What is no listing: its model, module and name.
_MODELS = {
    "doctor --diff-settings": "operations.doctor.settings_report SettingsDifferences",
    "ledger backup": "operations.backup BackupDescription",
}
#: Keys of columns that hold no text, wherever they stand. A key in neither may hold anything.
_KINDS = {
    "integer": (
        "alert_id approved attempt audit_id copied damaged depth discovered done_percent excluded failed gone "
        "http_status imported max_pages needs_review no_text number_of_pages order pending position refused requests "
        "response_time_ms retries retry_count seq size there tombstones tries unchanged unreadable words_added "
        "words_removed"
    ),
    "number": "changes_per_check credits credits_consumed days_between_changes delay_s failure_rate seconds usd",
    "boolean": "configured content_changed high_at_once is_current is_valid overdue ready repairable",
    "string": (
        "agency build change content_hash content_hash_before detail domain engine envelope_id error event file "
        "file_sha256 final_url found_by found_on frequency heading_path held id import_id imported_by imported_from "
        "ip_address job_id jurisdiction key_id manifest_id manifest_version message method missing name node note "
        "operator path public_key quote provenance raw_hash reason_code record role root run run_id says sentence "
        "severity source_id spider staged_path state status text text_object title to_do trust trust_before url "
        "user_name verdict where why"
    ),
}
#: Keys that hold something else in one listing.
_OWN_KINDS = {"manifest validate --online": {"status": "integer"}}
#: Of `scrapy tiers --check` only.
_OPTIONAL = ("health", "detail")
_TIMES = ("timestamp", "_at")
#: One thing in detail: its keys, each with what it holds. A list has one member, an object keys of its own or ``*`` for
#: any; a text that begins with ``@`` names columns, or an entry of ``_PARTS``.
_DETAILS: dict[str, dict[str, Any]] = {
    "alerts show": {
        "alert": "integer",
        **dict.fromkeys(("source", "event", "means", "severity"), "string"),
        **dict.fromkeys(("since", "cleared"), "time"),
        **dict.fromkeys(("what_happened", "what_to_do", "clears"), "string"),
        "pages": ["@terminal.alerts ALERT_PAGE_COLUMNS"],
        "deliveries": [
            {
                "alert_id": "integer",
                **dict.fromkeys(("channel", "what"), "string"),
                "tries": "integer",
                **dict.fromkeys(("tried_at", "next_try_at"), "time"),
                "delivered": "boolean",
                **dict.fromkeys(("error", "state"), "string"),
            }
        ],
    },
    "changes noise": {
        "source": "string",
        "noise_lines": ["string"],
        "manifest": "string",
        "left": ["string"],
        **dict.fromkeys(("past", "compared"), "integer"),
        "effects": [
            {
                "change": "string",
                "captured_at": "time",
                **dict.fromkeys(("url", "was", "importance"), "string"),
                "figures": [["string"]],
                "sentence": "string",
            }
        ],
    },
    "diff": {
        **dict.fromkeys(("source", "url"), "string"),
        **dict.fromkeys(("from", "to"), "@version"),
        "notes": ["string"],
        "summary": {
            "text": "string",
            "sections": dict.fromkeys(("changed", "added", "removed", "moved", "layout"), "integer"),
            "marks": {"*": {"*": "integer"}},
        },
        "sections": [
            {
                **dict.fromkeys(("change", "path", "path_before", "stood_after", "stands_after"), "string"),
                "sections": "integer",
                "changes": [
                    {
                        **dict.fromkeys(("change", "what"), "string"),
                        **{side: {"path": "string", "number": "integer"} for side in ("from", "to")},
                        "words": [["string"]],
                        "cells": [{"row": "string", "column": "string", "words": [["string"]], "marks": ["@mark"]}],
                        "marks": ["@mark"],
                        **dict.fromkeys(("note", "coarse"), "string"),
                        "blocks": "integer",
                    }
                ],
            }
        ],
    },
    "due --explain": {"id": "string", "explanation": "string"},
    "jobs show": {"@": "terminal.commands.jobs COLUMNS"},
    "map": {
        **dict.fromkeys(("source", "start_url", "method"), "string"),
        "complete": "boolean",
        **dict.fromkeys(("requested", "not_requested"), "string"),
        "robots": {"*": {"outcome": "string", "delay_s": "number"}},
        **dict.fromkeys(("known", "collect", "excluded", "failed", "unanswered", "held"), "integer"),
        "bound": "string",
        "estimate": {
            "requests": "integer",
            **dict.fromkeys(("every_s", "seconds"), "number"),
            **dict.fromkeys(("a_night", "nights", "max_pages"), "integer"),
        },
        "notes": ["string"],
        "lists": [dict.fromkeys(("url", "kind", "state", "reason"), "string")],
        "reasons": [{"state": "string", "reason": "string", "pages": "integer", "example": "string"}],
        "sections": [
            {
                "section": "string",
                **dict.fromkeys(("pages", "collect", "held", "excluded", "failed"), "integer"),
                **dict.fromkeys(("found_by", "lastmod"), "string"),
            }
        ],
        "listed": "integer",
        "urls": [
            {
                **dict.fromkeys(("url", "state", "reason"), "string"),
                **dict.fromkeys(("held", "requested"), "boolean"),
                "found_on": "string",
                "depth": "integer",
                **dict.fromkeys(("lastmod", "title", "description", "found_by", "section"), "string"),
            }
        ],
    },
    "parse": {
        "url": "string",
        "http_status": "integer",
        "verdict": "string",
        "rules": ["string"],
        "source": "string",
        "item": {
            **dict.fromkeys(("title", "format", "language"), "string"),
            "body_length_chars": "integer",
            **dict.fromkeys(("published_date", "modified_date"), "string"),
            "citations": ["string"],
            "sections": ["string"],
            "body": "string",
        },
        "links": [{"url": "string", "excluded": "string"}],
    },
    "runs show": {
        "@": "terminal.commands.runs COLUMNS",
        "held": ["string"],
        "summary": {
            **dict.fromkeys(("summary_version", "scrape_run_id", "parent_crawl_id", "manifest_id"), "string"),
            **dict.fromkeys(("manifest_version", "method", "state", "reason", "reason_code", "operator"), "string"),
            **dict.fromkeys(("started_at", "finished_at", "written_at"), "time"),
            **dict.fromkeys(("pages_found", "pages_scraped", "pages_changed", "errors"), "integer"),
            "pages": dict.fromkeys(("captured", "unchanged", "excluded", "failed", "gone"), "integer"),
            "seconds": "number",
            **dict.fromkeys(("requests", "browser_pages"), "integer"),
            "credits": "number",
            "notes": ["string"],
            "accepted": [{"at": "time", "by": "string", "reason": "string", "*": "any"}],
            "coverage": [
                {
                    "listed_by": "string",
                    "listed_on": ["string"],
                    "listed": "integer",
                    "cut": "boolean",
                    **dict.fromkeys(("captured", "unchanged", "elsewhere", "excluded", "failed", "gone"), "integer"),
                    **dict.fromkeys(("pending", "not_asked"), "integer"),
                    "excluded_by": {"*": "integer"},
                    "missing_in_all": "integer",
                    "missing": [dict.fromkeys(("url", "state", "reason"), "string")],
                }
            ],
        },
    },
    "sources show": {
        **dict.fromkeys(("id", "name", "url", "agency", "jurisdiction", "citation", "method", "manifest"), "string"),
        **dict.fromkeys(("priority", "status", "pause", "locked"), "string"),
        "failures_in_a_row": "integer",
        "interval": "string",
        **dict.fromkeys(("last_check", "last_change", "next_due"), "time"),
        "pages": "integer",
        **dict.fromkeys(("last_run", "last_run_id", "group"), "string"),
        **dict.fromkeys(("delay_in_s", "delay_asked_in_s", "delay_throttled_in_s"), "number"),
        "at_once": "integer",
        **dict.fromkeys(("last_request", "waits_until"), "time"),
        "held_by": "string",
        "held_until": "time",
    },
    "staging status": {
        "place": "string",
        **dict.fromkeys(("staged", "confirmed", "prunable", "pruned", "bytes"), "integer"),
    },
}
#: What several of them have.
_PARTS: dict[str, dict[str, Any]] = {
    "mark": {"kind": "string", "old": "string", "new": "string"},
    "version": {
        "url": "string",
        "version": "integer",
        "provenance?": "string",
        "version_id": "string",
        "captured_at": "time",
        **dict.fromkeys(("change_type", "content_hash", "converter_version", "tier", "run_id"), "string"),
    },
}
_SCHEMA_HEAD = (
    "What `scrapy COMMAND --format json` prints, by command: one array, or one object. Any value may be null."
)


def render_output_schema() -> str:
    """``command-output.schema.json``: each command's own schema under ``$defs``."""
    kinds = {key: kind for kind, keys in _KINDS.items() for key in keys.split()}
    schemas = {
        name: _listing_schema(_find_object(place), kinds | _OWN_KINDS.get(name, {}))
        for name, place in _LISTINGS.items()
    }
    schemas["audit --summary"] = _listing_schema(
        _find_object("terminal.audit.figures FIGURE_COLUMNS"), kinds, closed=False
    )
    for name, place in _MODELS.items():
        schemas[name] = {"$id": name.replace(" ", "-"), **_find_object(place).model_json_schema()}  # has own $defs
    schemas |= {name: _shape_schema(shape, kinds) for name, shape in _DETAILS.items()}
    schemas["doctor"] = _DOCTOR_SCHEMA
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": _SCHEMA_HEAD,
        "$defs": {name.replace(" --", ".").replace(" ", "-"): schema for name, schema in sorted(schemas.items())},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _find_object(place: str) -> Any:
    module, name = place.split()
    return getattr(import_module(f"rori_spiders.{module}"), name)


def _listing_schema(columns: Iterable[Column], kinds: dict[str, str], *, closed: bool = True) -> dict[str, Any]:
    properties = {column.key: _column_schema(column, kinds) for column in columns}
    required = [name for name in properties if name not in _OPTIONAL]
    row = {"type": "object", "properties": properties, "required": required, "additionalProperties": not closed}
    return {"type": "array", "items": row}


def _column_schema(column: Column, kinds: dict[str, str]) -> dict[str, Any]:
    is_time = column.key.endswith(_TIMES)
    kind = "string" if is_time else kinds.get(column.key)
    title = {"title": column.title} if column.title else {}
    return title | ({"type": [kind, "null"]} if kind else {}) | ({"format": "date-time"} if is_time else {})


def _shape_schema(shape: Any, kinds: dict[str, str]) -> dict[str, Any]:
    """The schema of what ``_DETAILS`` describes. A key that ends in ``?`` may be absent."""
    if isinstance(shape, list):
        return {"type": ["array", "null"], "items": _shape_schema(shape[0], kinds)}
    if isinstance(shape, dict):
        columns = _find_object(shape["@"]) if "@" in shape else ()
        properties = {column.key: _column_schema(column, kinds) for column in columns}
        properties |= {key.rstrip("?"): _shape_schema(one, kinds) for key, one in shape.items() if key not in "@*"}
        others = _shape_schema(shape["*"], kinds) if "*" in shape else False
        required = [name for name in properties if f"{name}?" not in shape]
        closed = {"required": required, "additionalProperties": others}
        return {"type": ["object", "null"], "properties": properties, **closed}
    if shape.startswith("@"):
        part = _PARTS.get(shape[1:])
        return _listing_schema(_find_object(shape[1:]), kinds)["items"] if part is None else _shape_schema(part, kinds)
    if shape == "time":
        return {"type": ["string", "null"], "format": "date-time"}
    return {} if shape == "any" else {"type": [shape, "null"]}


def _text_rows(*names: str, **words: Sequence[str]) -> dict[str, Any]:
    properties = {name: {"type": "string", **({"enum": [*words[name]]} if name in words else {})} for name in names}
    row = {"type": "object", "properties": properties, "required": [*names], "additionalProperties": False}
    return {"type": "array", "items": row}


_DOCTOR_SCHEMA = {
    "type": "object",
    "properties": {
        "settings": _text_rows("setting", "value", "origin"),
        "checks": _text_rows("check", "result", "found", "do", result=("ok", "warning", "failed")),
    },
    "required": ["settings", "checks"],
    "additionalProperties": False,
}


# --- pages and parts ---------------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], str]] = {
    "api.md": render_api,
    "command-output.schema.json": render_output_schema,
    "commands.md": render_commands,
    "envelope.schema.json": render_schema,
    "glossary.md": render_glossary,
    "manifest.schema.json": lambda: json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n",
    "verdict-rules.md": render_verdict_rules,
    "export-columns.md": render_export_columns,
}
PARTS: dict[str, Callable[[], str]] = {
    "alerts.md": render_alerts,
    "metrics.md": render_metrics,
    "reason-codes.md": render_reason_codes,
    "settings.md": render_settings,
}
_BEGIN, _END = "<!-- generated: docs/generate.py -->", "<!-- end -->\n"


def generate() -> dict[Path, str]:
    """Each file of docs/reference that the code has a say in, as it must be."""
    made = {REFERENCE / name: render() for name, render in PAGES.items()}
    for name, render in PARTS.items():
        text = (REFERENCE / name).read_text(encoding="utf-8")
        made[REFERENCE / name] = _fill_part(text, render(), f"docs/reference/{name}")
    return made


def main(arguments: list[str]) -> int:
    stale = [
        (path, text)
        for path, text in generate().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        if "--check" in arguments:
            print(f"{path.relative_to(REFERENCE.parents[1])} is out of date: python docs/generate.py")
        else:
            path.write_text(text, encoding="utf-8")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
