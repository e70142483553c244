"""Reason codes and their details, beside the sentences.

Those of `run_urls` are read off the sentences. Rows of the audit stay as they were written and hashed: without codes.
"""

import re

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_BATCH_ROWS = 2000
# What the sentences of that time began with, where that was not the code itself. The first that matches counts.
_SENTENCES = tuple(
    (re.compile(pattern, re.DOTALL), code)
    for pattern, code in (
        (r".*; not taken for gone: too many pages of the source would go at once", "mass_removal"),
        (r".*; not taken for gone: the run has found", "too_few_pages"),
        (r"not modified \(304\)", "not_modified"),
        (r"the text is the one that we hold", "same_text"),
        (r"by the tier \S+ the text is", "same_text_by_tier"),
        (r"revision .* is the one that we hold; last touched", "same_revision"),
        (r"revision .* is the one that we hold, not among", "not_among_changes"),
        (r"the API warns: ", "api_warning"),
        (r"of its addresses only the first", "sitemap_too_long"),
        (r"it breaks off: ", "sitemap_torn"),
        (r"more has changed than is asked for", "too_many_changes"),
        (r"accepted \d", "accepted"),
        (r"outside the source's hosts", "outside_hosts"),
        (r"exclude_patterns: (?P<rule>.*)", "exclude_pattern"),
        (r"outside include_patterns", "outside_include_patterns"),
        (r"deeper than max_depth (?P<limit>\d+)", "max_depth"),
        (r"max_pages (?P<limit>\d+) reached", "max_pages"),
        (r"(?P<limit>\d+) pages reached, the most where", "page_cap"),
        (r"not a document: (?P<rule>.*)", "not_a_document"),
        (r"only frames; read at (?P<target_url>\S+)\Z", "only_frames"),
        (r"(?P<rule>.*); read at (?P<target_url>\S+)\Z", "address_simplified"),
        (r"links are not followed", "links_not_followed"),
        (r"its address holds a secret", "secret_in_url"),
        (r"robots\.txt disallows (?P<target_url>\S+), to which", "robots_disallowed_target"),
        (r"robots\.txt disallows (?P<target_url>\S+)", "robots_disallowed"),
        (r"redirected to other domain: (?P<target_url>\S+)", "redirected_off_site"),
        (r"redirected to (?P<target_url>\S+) \((?P<rule>.*)\)", "redirected_out_of_scope"),
        (r"redirected to (?P<target_url>\S+)\Z", "redirected"),
        (r"the same page as (?P<target_url>\S+), its canonical link", "canonical_link"),
        (r"the same page as (?P<target_url>\S+)", "same_bytes"),
        (r"a sitemap more than (?P<limit>\d+) levels", "sitemap_too_deep"),
        (r"(?P<limit>\d+) sitemaps reached", "sitemap_cap"),
        (r"(?P<limit>\d+) answers with lists", "list_cap"),
        (r"as many pages as the run may take", "list_page_cap"),
        (r"neither the source nor the wiki's lists", "not_listed"),
        (r"a file or a special page of the wiki", "not_text"),
        (r"not there since", "gone"),
        (r"redirect_stub: HTTP \d+ that leads nowhere", "redirect_without_target"),
        (r"redirect_stub: HTTP \d+ to what is no URL", "redirect_invalid"),
        (r"redirect_stub: to what", "redirect_to_no_page"),
        (r"unknown: the response was not judged", "not_judged"),
        (r"unknown: 304", "not_modified_unknown"),
        (r"empty: no text", "no_text"),
        (r"secret_echoed: redirected", "secret_in_redirect"),
        (r"not_found: the wiki has none", "list_unknown"),
        (r"not_found: the wiki's API", "missing_in_wiki"),
        (r"server_error: the wiki's databases", "api_lag"),
        (r"api_error: (?P<rule>.*)", "api_error"),
        (r"denied: the API redirects to", "api_redirects"),
        (r"HTTP \d+\Z", "http_error"),
        (r"robots: .*: only the publisher's API", "robots_wall"),
        (r"robots: ", "robots_unavailable"),
        (r"rate_limited: (?!HTTP )", "cooling_down"),
        (r"address refused: ", "address_not_public"),
    )
)
_FIRST_WORD = re.compile(r"([a-z0-9_]+)(?=\Z|:| \()")
# Sentences that begin with their code.
_WORDS = (
    "accepted address_not_public address_simplified age_wall api_error api_lag api_redirects api_warning bad_answer "
    "bad_encoding bad_list bad_response bad_sitemap browser_budget_spent browser_crashed browser_failed "
    "canonical_link captcha challenge connection_failed connection_refused consent_wall conversion_crashed "
    "conversion_failed conversion_timeout cooling_down cost_limit crawl_delay crawler_trap denied download_error "
    "empty exclude_pattern expectation filtered gone http_error js_shell links_not_followed list_cap list_page_cap "
    "list_unknown login_wall maintenance many_redirects mass_removal max_depth max_pages missing_in_wiki "
    "name_not_resolved no_api no_full_text no_result no_text no_tier not_a_document not_among_changes "
    "not_an_article not_fetched not_found not_judged not_listed not_modified not_modified_unknown not_ours not_text "
    "only_frames outside_hosts outside_include_patterns page_cap paid_calls_full parked provider_bad_answer "
    "provider_error provider_gave_up provider_no_document provider_out_of_credits provider_rate_limited "
    "provider_refused provider_timeout provider_unreachable provider_wrong_page rate_limited redirect_invalid "
    "redirect_loop redirect_stub redirect_to_no_page redirect_without_target redirected redirected_off_site "
    "redirected_out_of_scope robots_disallowed robots_disallowed_target robots_unavailable robots_wall same_bytes "
    "same_revision same_text same_text_by_tier secret_echoed secret_in_redirect secret_in_url server_error "
    "sitemap_cap sitemap_too_deep sitemap_too_long sitemap_torn soft_404 suspect timeout tls_failed too_few_pages "
    "too_large too_many_changes truncated unknown unreadable_document walker_error"
)
_CODES = frozenset(_WORDS.split())


def upgrade() -> None:
    for table in ("run_urls", "audit"):
        op.add_column(table, sa.Column("reason_code", sa.String(40)))
        op.add_column(table, sa.Column("reason_detail", sa.JSON))
    _fill_run_urls(op.get_bind())


def _fill_run_urls(conn: sa.Connection) -> None:
    """Give the rows of `run_urls` their codes, read off their sentences, run by run."""
    urls = sa.table(
        "run_urls",
        *(sa.column(name) for name in ("run_id", "url_hash", "reason", "reason_code")),
        sa.column("reason_detail", sa.JSON(none_as_null=True)),
    )
    of_row = (urls.c.run_id == sa.bindparam("of_run"), urls.c.url_hash == sa.bindparam("of_url"))
    change = (
        sa.update(urls).where(*of_row).values(reason_code=sa.bindparam("code"), reason_detail=sa.bindparam("detail"))
    )
    conn.execute(sa.update(urls).where(urls.c.reason == "").values(reason_code="captured", reason_detail={}))
    last = ("", "")
    while True:
        place = sa.tuple_(urls.c.run_id, urls.c.url_hash)
        query = sa.select(urls).where(
            urls.c.reason_code.is_(None), urls.c.reason.is_not(None), place > sa.tuple_(*last)
        )
        rows = conn.execute(query.order_by(urls.c.run_id, urls.c.url_hash).limit(_BATCH_ROWS)).all()
        if not rows:
            return
        found = [(row, *read_sentence(row.reason)) for row in rows]
        changes = [
            {"of_run": row.run_id, "of_url": row.url_hash, "code": code, "detail": detail}
            for row, code, detail in found
            if code is not None
        ]
        if changes:
            conn.execute(change, changes)
        last = (rows[-1].run_id, rows[-1].url_hash)


def read_sentence(reason: str) -> tuple[str | None, dict[str, str | int]]:
    """Code and details of a sentence; (None, {}) for one that nothing matches."""
    for pattern, code in _SENTENCES:
        if found := pattern.match(reason):
            return code, {name: int(said) if name == "limit" else said for name, said in found.groupdict().items()}
    word = _FIRST_WORD.match(reason)
    return (word[1] if word and word[1] in _CODES else None), {}
