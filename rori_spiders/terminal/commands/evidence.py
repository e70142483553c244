"""``scrapy evidence``: the keys that sign heads of the log of facts, and the heads."""

from __future__ import annotations

import argparse
from base64 import b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import evidence_key_file
from rori_spiders.exceptions import ActionRefused, UnknownName, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, positive_count
from rori_spiders.terminal.listing import Column, print_hint, write_listing

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.evidence.keys import KeyRing
    from rori_spiders.ledger.audit.head_log import StoredHead

KEY_COLUMNS = (
    Column("key_id", "key"),
    Column("name", "name"),
    Column("state", "state", colours=(("signs", "green"), ("retired", "yellow"))),
    Column("retired_since", "retired since"),
    Column("reason", "reason"),
    Column("public_key"),
)
HEAD_COLUMNS = (
    Column("at", "signed (UTC)"),
    Column("size", "leaves", right=True),
    Column("root", "root"),
    Column("keys", "keys"),
    Column("receipts", "receipts"),
    Column("origin"),
    Column("previous"),
    Column("note"),
)
DESTINATION_COLUMNS = (
    Column("destination", "destination"),
    Column("size", "has heads up to", right=True),
    Column("failed_at", "fails since (UTC)"),
    Column("error", "error"),
)


class Evidence(RoriCommand):
    examples = (
        "scrapy evidence key create ledger.example.org/collector",
        "scrapy evidence key show > rori-keys.txt",
        'scrapy evidence key retire 1f3a9c20 --reason "Rotated"',
        "scrapy evidence sign",
        "scrapy evidence heads --format json",
    )
    usage = "key create|show|list|retire | sign | heads [--limit N] [--format FORM]"
    summary = "Manage the keys that sign heads of the log of facts; sign, send and list heads"
    description = (
        "A signed head states how many facts the ledger holds, and the hash of all of them. Each job signs one when "
        "it ends and sends it to the places in RORI_EVIDENCE_HEADS; `scrapy verify --heads` then detects any fact "
        "that was rewritten later."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        self._add_key_verbs(verbs.add("key", "create, show, list or retire keys"))
        verbs.add("sign", "sign a head now, and send every head that a destination does not have yet")
        heads = verbs.add("heads", "list signed heads, the newest first")
        heads.add_argument(
            "--limit", metavar="N", type=positive_count, default=20, help="list at most N heads (default: 20)"
        )
        heads.add_argument("--destinations", action="store_true", help="list which heads each destination has instead")
        add_format_option(heads)

    def _add_key_verbs(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, dest="key_verb")
        creating = verbs.add("create", "create a key; it signs from the next head on, in addition to the present keys")
        creating.add_argument(
            "key_name",
            metavar="NAME",
            nargs="?",
            help="name of the ledger in its heads, such as a URL without its scheme (default: that of the present key)",
        )
        creating.add_argument(
            "--stdout", action="store_true", help="print the private key for RORI_EVIDENCE_KEY, and write no file"
        )
        showing = verbs.add("show", "print the public keys, with which others verify heads (scrapy verify --keys)")
        showing.add_argument("key_id", metavar="KEY", nargs="?", help="print only the key with this id")
        add_format_option(verbs.add("list", "list keys and their states"))
        retiring = verbs.add(
            "retire", "retire a key: remove its private half; its signatures on later heads do not count"
        )
        retiring.add_argument("key_id", metavar="KEY", help="id of the key, as `key list` shows it")
        retiring.add_argument("--reason", metavar="TEXT", required=True, help="why, for the record")
        retiring.add_argument(
            "--since",
            metavar="TIME",
            type=_parse_time,
            help="when somebody else could have had the key (ISO 8601 with a zone); by default now",
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "key":
            return {"create": self._create, "show": self._show, "list": self._list, "retire": self._retire}[
                opts.key_verb
            ](opts)
        return self._sign() if opts.verb == "sign" else self._heads(opts)

    # --- keys -----------------------------------------------------------------------------------------------------

    @property
    def _key_file(self) -> Path:
        """The file that keys are written to. Raises UsageError where none is named, outside of a project."""
        path = self._find_key_file()
        if path is None:
            raise UsageError(
                "there is no project here: set RORI_EVIDENCE_KEY_FILE to the file of the keys, or print a key for "
                "RORI_EVIDENCE_KEY with --stdout"
            )
        return path

    def _find_key_file(self) -> Path | None:
        return evidence_key_file(self.settings, closest_scrapy_cfg())

    def _load_keys(self) -> KeyRing:
        from rori_spiders.evidence.keys import load_keys

        return load_keys(self._find_key_file())

    def _create(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.keys import read_key_file, write_key_file
        from rori_spiders.evidence.signed_notes import NoteError, SigningKey

        ring = self._load_keys()
        name = opts.key_name or (ring.origin if ring.signing else None)
        if name is None:
            raise UsageError("the first key needs a NAME, such as ledger.example.org/collector")
        if ring.signing and name != ring.origin:
            raise ActionRefused(
                f"the keys that sign are named {ring.origin!r}; a ledger keeps its name, and heads of two would not "
                "fit together"
            )
        try:
            key = SigningKey.generate(name)
        except NoteError as error:
            raise UsageError(str(error)) from error
        if opts.stdout:
            print(key.secret())
        else:
            write_key_file(self._key_file, read_key_file(self._key_file).with_key(key))
            print(f"Created the key {key.verifier.key_id.hex()} in {self._key_file}, which only you can read.")
            print(f"Its public half, to give to those who verify: {key.verifier}")
        self._record("create_evidence_key", str(key.verifier), None)
        return 0

    def _show(self, opts: argparse.Namespace) -> int:
        ring = self._load_keys()
        lines = ring.public_lines()
        if opts.key_id:
            lines = [line for line in lines if f"+{opts.key_id}+" in line]
        if not lines:
            raise UnknownName(
                f"no key {opts.key_id or ''}: `scrapy evidence key create NAME` makes one".replace("  ", " ")
            )
        print("\n".join(lines))
        return 0

    def _list(self, opts: argparse.Namespace) -> int:
        ring = self._load_keys()
        rows: list[dict[str, Any]] = [
            {"key_id": key.key_id.hex(), "name": key.name, "state": state, "public_key": str(key)}
            for state, keys in (("signs", [one.verifier for one in ring.signing]), ("trusted", ring.trusted))
            for key in keys
        ]
        rows += [
            {
                "key_id": one.verifier.key_id.hex(),
                "name": one.verifier.name,
                "state": "retired",
                "retired_since": one.since,
                "reason": one.reason,
                "public_key": str(one.verifier),
            }
            for one in ring.retired
        ]
        if not write_listing(rows, KEY_COLUMNS, opts.format) and opts.format == "table":
            print_hint("No keys. Create one with `scrapy evidence key create NAME`.")
        return 0

    def _retire(self, opts: argparse.Namespace) -> int:
        from rori_spiders.evidence.keys import read_key_file, write_key_file

        since = opts.since or self.now()
        if since > self.now():
            raise UsageError("--since must not be in the future")
        reason = " ".join(opts.reason.split())
        ring, retired = read_key_file(self._key_file).without_key(opts.key_id, since=since, reason=reason)
        write_key_file(self._key_file, ring)
        self._record("retire_evidence_key", str(retired.verifier), reason, since=retired.since)
        print(f"Retired the key {opts.key_id}: signatures in heads from {since:%Y-%m-%d %H:%M:%S} UTC on do not count.")
        print_hint("Send the new line to those who verify (`scrapy evidence key show` prints it).")
        if not ring.signing:
            print_hint("No key signs any more. Create one with `scrapy evidence key create NAME`.")
        return 0

    def _record(self, action: str, key: str, reason: str | None, *, since: datetime | None = None) -> None:
        """Record the action in the ledger, if there is one: it is a fact, and the next head covers it."""
        from rori_spiders.ledger.operations.activity_log import record_action

        if not self.places.has_ledger:
            return
        details = {"public_key": key, **({"since": since.isoformat()} if since else {})}
        target = "evidence key " + key.split("+")[1]
        with open_ledger(self.places.database_url) as ledger, ledger.begin() as conn:
            record_action(
                conn, now=self.now(), actor=self.person(), action=action, target=target, reason=reason, details=details
            )

    # --- heads ----------------------------------------------------------------------------------------------------

    def _sign(self) -> int:
        from rori_spiders.operations.alerts.head_alerts import sign_and_send_head

        with open_existing_ledger(self.places) as there:
            if there is None:
                print_hint("Nothing collected yet: run `scrapy collect`.")
                return 0
        with open_ledger(self.places.database_url) as ledger:
            result = sign_and_send_head(ledger, self.settings, closest_scrapy_cfg(), now=self.now())
        if result is None:
            raise ActionRefused("no key signs heads: create one with `scrapy evidence key create NAME`")
        if result.refused is not None:
            print(f"Not signed: {result.refused}")
            return 1
        signed = (
            f"Signed the head of {result.head.size} leaves." if result.head else "Nothing is new since the last head."
        )
        print(signed)
        for one in result.deliveries:
            error = "" if one.error is None else f"; FAILED, will be retried: {one.error}"
            print(f"{one.destination}: {format_count(one.sent, 'head')} sent{error}")
        return 1 if any(one.error is not None for one in result.deliveries) else 0

    def _heads(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.audit import head_log

        heads, states = [], {}
        with open_existing_ledger(self.places) as ledger:
            if ledger is not None:
                with ledger.connect() as conn:
                    heads, states = head_log.latest_heads(conn, opts.limit), head_log.destination_states(conn)
        if opts.destinations:
            rows = [
                {"destination": name, "size": one.size, "failed_at": one.failed_at, "error": one.error}
                for name, one in sorted(states.items())
            ]
            if not write_listing(rows, DESTINATION_COLUMNS, opts.format) and opts.format == "table":
                print("No head was sent yet.")
            return 0
        if not write_listing(map(_head_row, heads), HEAD_COLUMNS, opts.format) and opts.format == "table":
            print_hint("No signed heads. The next job signs one, if there is a key: `scrapy evidence key list`.")
        return 0


def _head_row(stored: StoredHead) -> dict[str, Any]:
    from rori_spiders.evidence.checkpoints import parse_checkpoint
    from rori_spiders.evidence.signed_notes import parse_note

    own, full = parse_note(stored.note), parse_note(stored.full_note)
    head = parse_checkpoint(own.text)
    return {
        "at": stored.at,
        "size": stored.size,
        "root": b64encode(head.root).decode(),
        "keys": " ".join(line.key_id.hex() for line in own.signatures),
        "receipts": " ".join(line.name for line in full.signatures[len(own.signatures) :]),
        "origin": head.origin,
        "previous": b64encode(head.previous).decode() if head.previous else None,
        "note": stored.full_note,
    }


def _parse_time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise argparse.ArgumentTypeError(f"expected a time with its zone, such as 2026-11-26T08:00:00Z, not {text!r}")
    return time.astimezone(UTC)
