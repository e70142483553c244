"""What the monitor asks: failures by severity and of one source, changes of 30 days, the pages that are held."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

_FAILED = "state = 'failed' AND kind = 'page'"
_HIGH = "'captcha', 'challenge', 'denied', 'filtered', 'login_wall', 'not_found', 'parked', 'soft_404'"
_INFO = "'maintenance', 'rate_limited', 'server_error'"
_BY_TIME = ["kind", "timestamp"]
_PARTIAL = (
    ("ix_audit_failed_source", "audit", ["kind", "manifest_id", "timestamp"], _FAILED),
    ("ix_audit_failed_high", "audit", _BY_TIME, f"{_FAILED} AND verdict IN ({_HIGH})"),
    ("ix_audit_failed_warning", "audit", _BY_TIME, f"{_FAILED} AND verdict NOT IN ({_HIGH}, {_INFO})"),
    (
        "ix_audit_failed_info",
        "audit",
        _BY_TIME,
        f"{_FAILED} AND (verdict IS NULL OR verdict IN ({_INFO}))",
    ),
    ("ix_pages_held", "pages", ["source_id"], "last_seq > 0 AND gone_at IS NULL"),
)


def upgrade() -> None:
    op.drop_index("ix_versions_time", "versions")
    op.create_index("ix_versions_time", "versions", ["captured_at", "page_id"])
    for name, table, columns, where in _PARTIAL:
        op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
