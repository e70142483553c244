"""The corpus: its runs, the pages that a run decides about, what people said of pages, the versions published."""

from sqlalchemy import Column, Float, Index, Integer, String, Table, text

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

_OPEN_RUN = text("ended_at IS NULL")

corpus_runs = Table(
    "corpus_runs",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("domain", String(253), nullable=False),
    Column("kind", String(10), nullable=False),  # full | delta
    Column("state", String(30), nullable=False),  # corpus/run_states.py
    Column("target", Json, nullable=False),  # {"sources": [ids]} or {"url": a site that no source has}
    Column("base_version", Integer),  # the version that a delta changes, or that was there when a full run began
    Column("rules", AnyText, nullable=False),  # the site rules as they were read, YAML
    Column("model", AnyText),  # its name; None: without one
    Column("triage_object", String(64)),  # JSON: what a model was asked about its pages, and answered
    Column("requested_by", AnyText, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("moved_at", UtcDateTime, nullable=False),  # when it came into its state
    Column("ended_at", UtcDateTime),  # published, failed or cancelled; None: it holds its domain
    Column("stopped_in", String(30)),  # the state in which it failed: there it is resumed
    Column("says", AnyText),  # why it failed, or what holds it
    Column("worker", AnyText),  # the process that works on it
    Column("worker_until", UtcDateTime),  # until then nobody else does
    # One run a domain, so that two never publish against each other.
    Index("uq_corpus_runs_open", "domain", unique=True, sqlite_where=_OPEN_RUN, postgresql_where=_OPEN_RUN),
    Index("ix_corpus_runs_domain", "domain", "started_at"),
)

corpus_pages = Table(
    "corpus_pages",
    metadata,
    Column("run_id", String(36), primary_key=True),
    Column("page_id", String(64), primary_key=True),  # of its URL, the same in every run
    Column("url", AnyText, nullable=False),
    Column("source_id", String(200)),  # None: of no source
    Column("found_by", String(20), nullable=False),  # map | held | person | change
    Column("section", AnyText, nullable=False),
    Column("template", AnyText, nullable=False),
    Column("title", AnyText),
    Column("description", AnyText),
    Column("language", String(20)),  # as the page declares it
    Column("dated", String(40)),  # when it was published or last changed, as the page or a sitemap says
    Column("published", String(40)),  # when it was published, as the page itself says
    Column("stated", Json),  # breadcrumbs, rights, supersedes, as a page that was fetched for the corpus states them
    Column("met", String(20)),  # by the collection or the map: captured | collect | excluded | failed | gone | ...
    Column("met_reason", AnyText),
    Column("sampled", Integer, nullable=False),  # 1: its text was read to decide about its section
    Column("decision", String(20)),  # include | exclude | needs_review; None: not yet
    Column("decided_by", String(20)),  # rule | model | override | person
    Column("rule", AnyText),  # the rule's name, the model's, or the person's
    Column("reason", AnyText),
    Column("confidence", Float),
    Column("evidence", Json),
    Column("got", String(20)),  # staged | fetched | failed | gone; None: not yet asked for
    Column("got_reason", AnyText),
    Column("got_at", UtcDateTime),  # when the publisher's server gave the text
    Column("raw_object", String(64)),  # the text as converted; its SHA-256
    # Of a page that only leads to a document: {"url", "own_object": its own text, "object": the document's text, which
    # was put below it; None, and "reason": it was not taken}
    Column("linked", Json),
    Column("draft_object", String(64)),  # after the deterministic cleaning
    Column("removals_object", String(64)),  # JSON: what that removed, by which rule
    Column("clean_object", String(64)),  # after the model's, if it passed the guards; else the draft
    Column("cleaned_by", String(20)),  # draft | model | person | approved: as a person approved it before | again
    Column("cleaning_object", String(64)),  # JSON: all that was said to the model and by it, and the guards' refusals
    Column("doc_id", String(200)),
    Column("document_object", String(64)),  # the file as it would be published
    Column("content_hash", String(64)),
    Column("flags", Json),
    Column("findings", Json),
    Column("gate", String(20)),  # publishable | needs_review | excluded
    Column("review", String(20)),  # approved | rejected; None: nobody has looked
    Column("reviewed_by", AnyText),
    Column("reviewed_at", UtcDateTime),
    Column("review_reason", AnyText),
    Index("ix_corpus_pages_decision", "run_id", "decision"),
)

corpus_overrides = Table(
    "corpus_overrides",
    metadata,
    Column("domain", String(253), primary_key=True),
    Column("page_id", String(64), primary_key=True),
    Column("seq", Integer, primary_key=True),  # 1, 2, ...; the highest holds
    Column("url", AnyText, nullable=False),
    Column("decision", String(20)),  # include | exclude; None: the rules decide again
    Column("reason", AnyText, nullable=False),
    Column("created_by", AnyText, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
)

corpus_approvals = Table(
    "corpus_approvals",
    metadata,
    Column("domain", String(253), primary_key=True),
    Column("page_id", String(64), primary_key=True),
    Column(
        "raw_object", String(64), primary_key=True
    ),  # the source text that was looked at: another needs another look
    Column("clean_object", String(64), nullable=False),  # the text that was approved
    Column("title", AnyText),
    Column("approved_by", AnyText, nullable=False),
    Column("approved_at", UtcDateTime, nullable=False),
    Column("reason", AnyText),
)

corpus_versions = Table(
    "corpus_versions",
    metadata,
    Column("domain", String(253), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("run_id", String(36)),  # None: of a rollback
    Column("rolled_back_to", Integer),  # the version whose pages it holds again
    Column("state", String(20), nullable=False),  # publishing | published | abandoned
    Column("prefix", AnyText, nullable=False),  # where it lies, below the staging area
    Column("contents_hash", String(64)),  # of what it is to hold: who publishes the same goes on with it
    Column("manifest_hash", String(64)),  # SHA-256 of its manifest.json
    Column("pages", Integer),
    Column("tombstones", Integer),
    Column("approved_by", AnyText),
    Column("approved_at", UtcDateTime),
    Column("published_by", AnyText, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("published_at", UtcDateTime),
    Column("loader_state", String(20)),  # started | done | failed; None: no loader is named
    Column("loader_execution", AnyText),  # its own id
    Column("loader_says", AnyText),
    Column("loader_at", UtcDateTime),
)
