"""What keeps jobs apart and people informed: leases, state of sources, tiers, alerts, costs, actions, manifests."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    Table,
    UniqueConstraint,
    text,
)

from rori_spiders.ledger.tables.base import AnyText, Json, UtcDateTime, metadata

leases = Table(
    "leases",
    metadata,
    Column("group", String(255), primary_key=True),
    Column("owner", String(200)),  # "host:pid:job id"; None: free, the row keeps the politeness
    Column("epoch", Integer, nullable=False),  # grows by 1 each time it changes hands
    Column("expires_at", UtcDateTime),
    Column("last_request_at", UtcDateTime),
    Column("delay_s", Float),  # asked for by robots.txt; None: the configured one
    Column("paused_until", UtcDateTime),
    Column("throttle_s", Float),  # found by AutoThrottle; None: not above the others
)

#: How many requests each process may have under way: of all processes together, never more than the limit.
permits = Table(
    "permits",
    metadata,
    Column("owner", String(200), primary_key=True),  # as in `leases`
    Column("permits", Integer, nullable=False),
    Column("wanted", Integer, nullable=False),  # how many it could use
    Column("expires_at", UtcDateTime, nullable=False),
)

#: The last transaction of each process that writes, on PostgreSQL: whether one was committed whose answer was lost.
writers = Table(
    "writers",
    metadata,
    Column("writer", String(36), primary_key=True),  # one process, while it has the ledger open
    Column("number", Integer, nullable=False),  # 1, 2, ... of its transactions
    Column("at", UtcDateTime, nullable=False),
)

source_state = Table(
    "source_state",
    metadata,
    Column("source_id", String(200), primary_key=True),
    Column("paused_by", String(20)),  # breaker | person; None: not paused
    Column("paused_reason", AnyText),
    Column("paused_at", UtcDateTime),
    Column("failures_in_row", Integer, nullable=False, server_default="0"),  # scheduled runs only
    Column("last_run_id", String(36)),
    Column("last_checked_at", UtcDateTime),  # last run that ended complete
    Column("last_changed_at", UtcDateTime),
    Column("interval_factor", Integer, nullable=False, server_default="1"),  # 2 while rate limited
    Column("good_runs_in_row", Integer, nullable=False, server_default="0"),
    Column("next_run_at", UtcDateTime),  # a person's moment for the next run, once; None: as the schedule has it
)

tier_memory = Table(
    "tier_memory",
    metadata,
    Column("source_id", String(200), primary_key=True),
    Column("template_hash", String(64), primary_key=True),
    Column("template", AnyText, nullable=False),  # host and path, ids and digits blurred (crawl/tiers/order.py)
    Column("tier", String(20), nullable=False),
    Column("worked_at", UtcDateTime, nullable=False),
)

alerts = Table(
    "alerts",
    metadata,
    Column("alert_id", Integer, primary_key=True),
    # "" when it is of no one source: NULLs would each count as another cause in the index below
    Column("source_id", String(200), nullable=False),
    Column("event", String(40), nullable=False),
    Column("cause", String(200), nullable=False),  # one open alert for each (source, event, cause)
    Column("severity", String(10), nullable=False),
    Column("message", AnyText, nullable=False),
    Column("pages", Json),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("cleared_at", UtcDateTime),
    Index(
        "uq_alerts_open",
        "source_id",
        "event",
        "cause",
        unique=True,
        sqlite_where=text("cleared_at IS NULL"),
        postgresql_where=text("cleared_at IS NULL"),
    ),
)

#: What became of telling an alert, or its end, through one channel.
alert_deliveries = Table(
    "alert_deliveries",
    metadata,
    Column("alert_id", ForeignKey("alerts.alert_id"), primary_key=True),
    Column("channel", String(40), primary_key=True),
    Column("what", String(10), primary_key=True),  # opened | cleared
    Column("tries", Integer, nullable=False),
    Column("tried_at", UtcDateTime, nullable=False),
    Column("next_try_at", UtcDateTime),  # None: delivered, or given up
    Column("delivered", Boolean, nullable=False),
    Column("error", AnyText),
)

#: Who sends through a channel now, so that two jobs never both do; and when something went out last.
alert_channels = Table(
    "alert_channels",
    metadata,
    Column("channel", String(40), primary_key=True),
    Column("claimed_by", String(300)),
    Column("claimed_until", UtcDateTime),
    Column("sent_at", UtcDateTime),
)

#: Who gets which changes of texts, where and how often.
change_subscriptions = Table(
    "change_subscriptions",
    metadata,
    Column("subscription_id", Integer, primary_key=True),
    Column("owner", String(100), nullable=False),  # the person who subscribed
    Column("schedule", String(10), nullable=False),  # at_once | daily | weekly | feed | watch
    Column("send_to", AnyText),  # an e-mail address, or the name of a channel; NULL: nothing is sent
    Column("token_hash", String(64)),  # of a feed's address
    Column("high_at_once", Boolean, nullable=False),
    Column("filter", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("claimed_until", UtcDateTime),  # a process is sending, so that two never both do
    Column("sent_at", UtcDateTime),  # when a server last took a message
    Column("tries", Integer, nullable=False),  # in vain, since then
    Column("next_try_at", UtcDateTime),
    Column("error", AnyText),
)

#: Changes that a subscription's message had. No row: not sent yet.
change_deliveries = Table(
    "change_deliveries",
    metadata,
    Column("subscription_id", ForeignKey("change_subscriptions.subscription_id"), primary_key=True),
    Column("page_id", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("sent_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(("page_id", "seq"), ("changes.page_id", "changes.seq")),
)

costs = Table(
    "costs",
    metadata,
    Column("cost_id", Integer, primary_key=True),
    Column("provider", String(40), nullable=False),
    Column("run_id", String(36)),
    Column("url", AnyText),
    Column("unit", String(20), nullable=False),
    Column("reserved", Float, nullable=False),
    Column("settled", Float),
    Column("usd", Float),
    Column("reserved_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime),
    Index("ix_costs_provider_time", "provider", "reserved_at"),
    Index(
        "ix_costs_open",
        "reserved_at",
        sqlite_where=text("settled_at IS NULL"),
        postgresql_where=text("settled_at IS NULL"),
    ),
)

actions = Table(
    "actions",
    metadata,
    Column("action_id", Integer, primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("actor", String(100), nullable=False),
    Column("action", String(40), nullable=False),
    Column("target", AnyText, nullable=False),
    Column("reason", AnyText),
    Column("details", Json),
    Index("ix_actions_target", "action", "target"),
)

manifest_versions = Table(
    "manifest_versions",
    metadata,
    Column("manifest_version_id", Integer, primary_key=True),
    Column("name", String(200), nullable=False),  # of the file, without its folder and ending
    Column("version", String(50), nullable=False),
    Column("sha256", String(64), nullable=False),  # of the text
    Column("text", AnyText, nullable=False),
    Column("activated_at", UtcDateTime, nullable=False),
    Column("activated_by", String(100), nullable=False),
    Column("active", Boolean, nullable=False),
    UniqueConstraint("name", "sha256", "activated_at"),
    Index(
        "uq_manifest_versions_active",
        "name",
        unique=True,
        sqlite_where=text("active = 1"),
        postgresql_where=text("active"),
    ),
)

#: How far something that is followed was read, by one process at a time.
cursors = Table(
    "cursors",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("position", AnyText, nullable=False),
    Column("owner", String(200)),  # who follows it now; None: nobody
    Column("held_until", UtcDateTime),
)


# Who may use the monitor, and who is signed in.

users = Table(
    "users",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("role", String(20), nullable=False),  # viewer | operator
    Column("password_hash", AnyText),  # Argon2id, with its salt and costs; None: only a reverse proxy names this user
    Column("created_at", UtcDateTime, nullable=False),
    Column("password_at", UtcDateTime),  # when the password was set
    Column("seen_at", UtcDateTime),  # last heartbeat, to the minute
)

sessions = Table(
    "sessions",
    metadata,
    Column("token_hash", String(64), primary_key=True),  # SHA-256 of the cookie: who reads this table cannot sign in
    Column("user_name", String(100), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Index("ix_sessions_user", "user_name"),
)

#: Keys by which programs of a person use the monitor's API.
api_tokens = Table(
    "api_tokens",
    metadata,
    Column("token_id", Integer, primary_key=True),
    Column("user_name", String(100), nullable=False),
    Column("label", String(100), nullable=False),  # what the person calls it
    Column("scope", String(10), nullable=False),  # read | review | operate
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("revoked_at", UtcDateTime),
    Column("seen_at", UtcDateTime),
    Index("ix_api_tokens_user", "user_name"),
)

sign_in_failures = Table(
    "sign_in_failures",
    metadata,
    Column("key_hash", String(64), primary_key=True),  # SHA-256 of what is counted, such as a name and an address
    Column("failed", Integer, nullable=False),
    Column("since", UtcDateTime, nullable=False),  # the first of them; 15 minutes later the row is removed
    Index("ix_sign_in_failures_since", "since"),
)
