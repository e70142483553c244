"""The base of our commands: strict arguments, errors as sentences, exit codes as in docs/reference/commands.md.

A command says its options in ``options`` and does its work in ``answer``; a module in ``commands/`` holds no more.
"""

from __future__ import annotations

import argparse
import errno
import getpass
import os
import re
import sys
import textwrap
from abc import abstractmethod
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.utils.conf import closest_scrapy_cfg
from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.configuration.setting_values import apply_setting_types
from rori_spiders.exceptions import (
    ActionRefused,
    LedgerError,
    ManifestError,
    RoriError,
    UnknownName,
    UsageError,
    describe_error,
    locate_page,
)
from rori_spiders.ledger.operations.activity_log import PROGRAM_ACTORS
from rori_spiders.runtime import redacted_output
from rori_spiders.runtime.file_permissions import restrict_new_files
from rori_spiders.runtime.redacted_output import drop_output, name_program
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.terminal.listing import FORMATS
from rori_spiders.urls.canonical import normalise_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.settings import BaseSettings, Settings

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


#: Where each setting is explained.
SETTINGS_PAGE = "docs/reference/settings.md#all-settings"
_IN_BRACKETS = re.compile(r"\[[^][]*\]")


#: Of a disk, of a user's share of it, and of a file.
_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class RoriCommand(ScrapyCommand):
    """A command of this project. Exit codes: 0 done, 1 something failed, 2 usage or manifest, 3 cannot write."""

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    settings: Settings  # Scrapy sets it before it calls a command

    #: Whether a wrong RORI_* setting ends it: only what lists them goes on.
    needs_settings: ClassVar[bool] = True
    #: What may follow the command's name; its forms are separated by `` | ``.
    usage: ClassVar[str] = ""
    #: What it does, in one line.
    summary: ClassVar[str]
    #: More about that, above the options of ``-h``.
    description: ClassVar[str]
    #: Shown below the options by ``-h``, one command a line.
    examples: ClassVar[Sequence[str]] = ()

    def syntax(self) -> str:
        return f"\nscrapy {self.name} ".join(_split_forms(self.usage))

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return self.description

    @property
    def name(self) -> str:
        """The command's name as typed: the module's name."""
        return type(self).__module__.rpartition(".")[2]

    @cached_property
    def places(self) -> Locations:
        """Locations of manifests, staging area and ledger. UsageError for a relative path outside a project."""
        return Locations.from_settings(self.settings, closest_scrapy_cfg())

    @contextmanager
    def collected_ledger(self) -> Iterator[Ledger]:
        """The ledger for reading. Raises ActionRefused where there is none yet."""
        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                raise ActionRefused("nothing collected yet: run `scrapy collect`")
            yield ledger

    def load_catalog(self, ledger: Ledger | None) -> Catalog:
        """The sources of the active manifest. Raises ManifestError and LedgerError."""
        # Every command is imported at each start, and manifests take a fifth of a second.
        from rori_spiders.configuration.active_manifest import load_active_catalog

        return load_active_catalog(self.places, ledger)

    def require_sources(self, ledger: Ledger, *ids: str | None) -> None:
        """Raise UnknownName for an id that neither a run of the ledger nor the active manifest has."""
        from rori_spiders.ledger.runs.run_records import list_source_ids

        with ledger.connect() as conn:
            collected = list_source_ids(conn)
        unknown = [one for one in ids if one is not None and one not in collected]
        if not unknown:
            return
        try:
            known = {*collected, *(source.id for source in self.load_catalog(ledger).sources)}
        except ManifestError:  # reading what was collected needs no valid manifest
            known = collected
        for one in unknown:
            if one not in known:
                near = [repr(name) for name in get_close_matches(one, known)]
                hint = f"Did you mean {' or '.join(near)}?" if near else "`scrapy sources` lists source ids."
                raise UnknownName(
                    f"unknown source {one!r}: no run collected it, and the active manifest does not have it. {hint}"
                )

    def now(self) -> datetime:
        """The time by which this command judges."""
        return datetime.now(UTC)

    def person(self) -> str:
        """The user who runs the command, as recorded in `actions` and manifest versions."""
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # a container's user without a name
            name = f"uid {os.getuid()}"
        return f"user {name}" if name in PROGRAM_ACTORS else name

    def options(self, parser: argparse.ArgumentParser) -> None:
        """Add this command's own arguments. Positional ones belong here too: what is left over is refused."""

    @abstractmethod
    def answer(self, opts: argparse.Namespace) -> int:
        """Do the work and print it; RoriErrors become their sentence and exit code."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        make_strict(parser, f"scrapy {self.name}", self.examples)
        self.options(parser)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        if args:
            what = "unknown option" if args[0].startswith("-") and args[0] != "-" else "unexpected argument"
            exit_with_usage_error(opts.parser, f"{what}: {args[0]}")
        super().process_options(args, opts)
        if self.needs_settings:
            apply_settings_or_exit(self.settings)
            restrict_new_files(self.settings["RORI_UMASK"])

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with redacted_output.redacted_output():
            self._run_guarded(opts)

    def _run_guarded(self, opts: argparse.Namespace) -> None:
        try:
            self.exitcode = self.answer(opts)
            sys.stdout.flush()
        except (UnknownName, ActionRefused) as error:
            self._fail(f"{opts.parser.prog}: {get_redactor().text(describe_error(error))}", error.exit_code)
        except UsageError as error:
            exit_with_usage_error(opts.parser, str(error))
        except RoriError as error:
            self._fail(describe_error(error), error.exit_code)
        except DBAPIError as error:
            answer = LedgerError(f"The ledger did not answer: {error.orig}. It is at {self.places.shown_ledger}.")
            self._fail(describe_error(answer), answer.exit_code)
        except BrokenPipeError:
            drop_output()
        except OSError as error:
            if error.errno not in _DISK_FULL:
                raise
            self._fail(f"Nothing more can be written: {error.strerror}. Free some space, and run the command again.", 3)
            try:
                sys.stdout.flush()
            except OSError:
                drop_output()
        except KeyboardInterrupt:
            self._fail("Stopped.", 1)

    def _fail(self, sentence: str, code: int) -> None:
        sys.stderr.write(f"{name_program(sentence)}\n")
        self.exitcode = code


class ListingCommand(RoriCommand):
    """A command that ends in a listing."""

    def options(self, parser: argparse.ArgumentParser) -> None:
        add_format_option(parser)


def add_format_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--format`` to a command or verb that prints a listing."""
    parser.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")


def add_sources_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--source``, which may be given several times."""
    parser.add_argument("--source", metavar="ID", action="append", default=[], help="only this source (repeatable)")


def add_period_options(parser: argparse.ArgumentParser, *, required: bool = False, until: str = "") -> None:
    """Add ``--since`` and ``--until``, by the time of the capture; *until* says more of the second one's help."""
    parser.add_argument(
        "--since", metavar="DATE", type=parse_start, required=required, help="captured from this date or time (UTC) on"
    )
    parser.add_argument(
        "--until",
        metavar="DATE",
        type=parse_end,
        help=f"captured by the end of this date, or before this time (UTC){until}",
    )


def _split_forms(usage: str) -> list[str]:
    """What `` | `` separates in *usage* outside its brackets."""
    forms = [""]
    for part in usage.split(" | "):
        is_inside = sum(forms[-1].count(one) for one in "[(") > sum(forms[-1].count(one) for one in ")]")
        forms[-1:] = [f"{forms[-1]} | {part}"] if is_inside else [*filter(None, forms[-1:]), part]
    return forms


class _MultilineFormatter(ScrapyHelpFormatter):
    """Scrapy's help formatter that keeps line breaks, underlines headings only, and names the program as typed."""

    def format_help(self) -> str:
        return name_program(super().format_help())

    def _format_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None) -> str:
        """Each form of a command on lines of its own, as wide as the rest."""
        if usage is None:
            return super()._format_usage(usage, actions, groups, prefix)
        wrapper = textwrap.TextWrapper(self._width - 2, subsequent_indent="    ", break_on_hyphens=False)
        whole = _IN_BRACKETS.sub(lambda option: option[0].replace(" ", "\xa0"), usage).splitlines()
        text = super()._format_usage("\n".join(map(wrapper.fill, whole)), actions, groups, prefix)
        return text.replace("\n", "\n  ").replace("\xa0", " ").rstrip() + "\n\n"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return "\n".join(indent + line for line in text.splitlines())
        return super()._fill_text(text, width, indent)

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Underline headings only: Scrapy takes any line that ends in a colon for one, also an option's help."""
        if part_strings and part_strings[0].startswith(" "):  # the lines of an option, or the options of a group
            return part_strings
        formatted: list[str] = []
        for part in part_strings:
            formatted += [part] if part.startswith(" ") else super().format_part_strings([part])
        return formatted


def make_strict(parser: argparse.ArgumentParser, prog: str, examples: Sequence[str] = ()) -> None:
    """Make Scrapy's parser or a verb's accept no abbreviations (`--sou` is not `--source`) and fail as ours do.

    *examples* stand below the options of its help.
    """

    def error(message: str) -> NoReturn:
        exit_with_usage_error(parser, message)

    parser.prog = prog
    parser.allow_abbrev = False
    if examples:
        parser.epilog = "\n".join(["Examples:", *(f"  {line}" for line in examples)])
    parser.formatter_class = _MultilineFormatter
    parser.error = error  # type: ignore[method-assign]  # Scrapy makes the parser, we only get to adjust it
    parser.set_defaults(parser=parser)  # the verb's own, where one is given


class Subcommands:
    """The verbs of a command, as in ``scrapy manifest validate``. ``-s`` may stand after a verb.

    A command with a *default* verb runs it where none is given: ``scrapy runs --limit 5`` is ``scrapy runs list ...``.
    """

    def __init__(
        self, parser: argparse.ArgumentParser, *, dest: str = "verb", required: bool = True, default: str | None = None
    ) -> None:
        # argparse would put the command's whole usage before each verb's.
        self._verbs = parser.add_subparsers(
            dest=dest,
            required=required and default is None,
            parser_class=argparse.ArgumentParser,
            metavar="VERB",
            help=f"`{parser.prog} VERB -h` shows the options of a verb",
            prog=parser.prog,
        )
        self._verbs.default = default  # for `scrapy completion`
        if default is not None:
            self._parse_with_default(parser, default)

    def _parse_with_default(self, parser: argparse.ArgumentParser, default: str) -> None:
        parse_known_args = parser.parse_known_args

        def parse(args: Sequence[str], namespace: Any = None) -> tuple[Any, list[str]]:
            if not self._names_verb(args, parser, self._verbs.choices[default]):
                # What the verb does not accept are options of all commands, or mistakes.
                namespace, args = self._verbs.choices[default].parse_known_args(args, namespace)
                namespace.verb = default
            return parse_known_args(args, namespace)

        parser.parse_known_args = parse  # type: ignore[method-assign,assignment]  # Scrapy makes the parser

    def _names_verb(self, args: Sequence[str], *parsers: argparse.ArgumentParser) -> bool:
        """Whether *args* name a verb or ask for help; what is the value of an option is neither."""
        named = {"-h", "--help", *self._verbs.choices}
        options = {
            option
            for parser in parsers
            for action in parser._actions  # noqa: SLF001  # argparse has no public list of them
            if action.nargs != 0
            for option in action.option_strings
        }
        return any(arg in named and before not in options for before, arg in zip(["", *args], args, strict=False))

    def add(self, name: str, what: str) -> argparse.ArgumentParser:
        """Add a verb with its help line. The verb's own arguments are added to the parser that is returned."""
        verb = self._verbs.add_parser(name, help=what, description=f"{what[0].upper()}{what[1:]}.")
        make_strict(verb, verb.prog)
        verb.add_argument(
            "-s", "--set", action="append", default=argparse.SUPPRESS, metavar="NAME=VALUE", help="override a setting"
        )
        for names in (("--nolog",), ("--logfile",), ("-L", "--loglevel")):  # as Scrapy has them; in the help above
            verb.add_argument(
                *names,
                action="store_true" if names[0] == "--nolog" else "store",
                default=argparse.SUPPRESS,
                help=argparse.SUPPRESS,
            )
        return verb


def exit_with_usage_error(parser: argparse.ArgumentParser, message: str) -> NoReturn:
    """Print what is wrong, the usage of the command or verb, and where to find its help. Exit code 2."""
    # argparse's own usage names the program already; it is without Scrapy's heading and its underline.
    usage = name_program(parser.usage) if parser.usage else " ".join(parser.format_usage().split()[2:])
    usage = usage.replace("\n", "\n       ")
    sentence = name_program(f"{parser.prog}: {redacted_output.make_printable(message)}")
    sys.stderr.write(f"{sentence}\nUsage: {usage}\n{name_program(f'Try `{parser.prog} -h`.')}\n")
    raise SystemExit(2)


def apply_settings_or_exit(settings: BaseSettings) -> None:
    """Give the RORI_* settings their types. Exit code 2 when one of them is invalid."""
    try:
        apply_setting_types(settings)
    except UsageError as error:
        message = redacted_output.make_printable(str(error))
        hint = f"`scrapy doctor` lists every setting and where it comes from.\nMore: {locate_page(SETTINGS_PAGE)}"
        sys.stderr.write(f"{name_program(message)}\n{name_program(hint)}\n")
        raise SystemExit(2) from None


def positive_count(text: str) -> int:
    """For ``type=``: a count. argparse shows the error's text."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, not {text!r}")
    return int(text)


def parse_day(text: str) -> date:
    """For ``type=``: a day. argparse shows the error's text."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a day such as 2026-12-04, not {text!r}") from None


def parse_moment(text: str) -> tuple[datetime, datetime]:
    """The first instant of the day or time *text*, and the first instant after it. A time without a zone is UTC.

    For ``type=``, as the two below.
    """
    try:
        if len(text) == len("2026-02-13"):
            day = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
            return day, day + timedelta(days=1)
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"expected a date or time such as 2026-02-13 or 2026-02-13T14:30:00Z, not {text!r}"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at, at


def parse_start(text: str) -> datetime:
    """The first instant of the day or time *text*."""
    return parse_moment(text)[0]


def parse_end(text: str) -> datetime:
    """The first instant after the day *text*, or the time *text*."""
    return parse_moment(text)[1]


def parse_page_url(text: str) -> str:
    """For ``type=``: a URL as the ledger has it."""
    try:
        return normalise_url(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid page URL: {error}") from None


def parse_id_or_all(opts: argparse.Namespace) -> None:
    """For commands that take ``ID`` or ``--all``. UsageError for both, and for neither."""
    if bool(opts.id) == bool(opts.all):
        raise UsageError("name a source, or give --all" if not opts.id else "either a source or --all, not both")


def find_sources(catalog: Catalog, ids: Sequence[str]) -> list[Source]:
    """The sources of these ids, in this order. UsageError for an id that the active manifest does not have."""
    found = {source.id: source for source in catalog.sources}
    for one in ids:
        if one not in found:
            near = get_close_matches(one, found, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " `scrapy sources` lists them."
            raise UnknownName(f"no source {one!r} in the active manifest.{hint}")
    return [found[one] for one in ids]
