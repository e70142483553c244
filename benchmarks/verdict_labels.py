"""What each label of the captured pages means: the kinds that are a right answer to it.

A label that begins with ``neg-`` is of a good page; a label that is not in this table counts as told or not told only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.verdicts import Kind

GOOD = "neg-"

LABELS: dict[str, tuple[Kind, ...]] = {
    "akamai-access-denied": ("denied",),
    "akamai-invalid-url": ("server_error",),
    "akamai-js-challenge": ("challenge",),
    "amazon-robot-check": ("captcha",),
    "avito-ip-check-captcha": ("captcha",),
    "azure-403-web-app-or-gateway": ("denied",),
    "cloudflare-access-denied-1006-family": ("denied",),
    "cloudflare-attention-required-captcha": ("captcha",),
    "cloudflare-custom-branded-challenge": ("challenge",),
    "cloudflare-just-a-moment-iuam": ("challenge",),
    "cloudflare-just-a-moment-managed": ("challenge",),
    "cloudflare-origin-error-5xx": ("server_error",),
    "cloudflare-please-wait-captcha": ("captcha", "challenge"),
    "cloudfront-request-blocked-or-error": ("denied", "server_error"),
    "datadome-enable-js": ("captcha", "challenge"),
    "ecfr-federalregister-request-access": ("denied",),
    "f5-request-rejected": ("denied",),
    "firewall-user-portal-login": ("filtered", "login_wall"),
    "generic-403-forbidden": ("denied",),
    "geo-ip-forbidden-403": ("denied",),
    "google-sorry-automated-queries": ("captcha",),
    "iis-detailed-404-error-page": ("soft_404", "not_found"),
    "imunify360-one-moment-please": ("challenge",),
    "incapsula-request-unsuccessful": ("denied", "challenge"),
    "infojobs-human-or-robot-interstitial": ("captcha",),
    "isp-or-filter-blockpage": ("filtered",),
    "js-shell-spa": ("js_shell",),
    "login-wall": ("login_wall",),
    "maintenance-or-unavailable": ("maintenance", "server_error"),
    "meta-or-js-redirect-stub": ("redirect_stub", "soft_404"),
    "modsecurity-not-acceptable-406": ("denied",),
    "parked-or-for-sale-domain": ("parked",),
    "perimeterx-human-touch": ("captcha",),
    "perimeterx-press-and-hold": ("captcha",),
    "plain-server-404": ("soft_404", "not_found"),
    "reddit-prove-your-humanity": ("captcha",),
    "sec-request-rate-threshold": ("rate_limited",),
    "senado-br-verificacao": ("captcha", "challenge"),
    "server-error-yellow-screen": ("server_error", "soft_404"),
    "shieldsquare-captcha": ("captcha",),
    "site-deleted-page": ("soft_404", "not_found"),
    "soft-404-page": ("soft_404", "not_found"),
    "sucuri-js-cookie-challenge": ("challenge",),
    "sucuri-origin-timeout-502": ("server_error",),
    "user-agent-banned-403": ("denied",),
    "walmart-robot-or-human": ("captcha",),
    "weibo-visitor-system": ("challenge",),
    "youtube-bot-consent": ("js_shell", "consent_wall"),
    "youtube-google-recaptcha-429": ("captcha", "rate_limited"),
}

#: The publisher, its firewall or a network said no, or asks for something first. Other kinds are errors and shells.
REFUSALS: frozenset[Kind] = frozenset(
    {"challenge", "captcha", "denied", "filtered", "rate_limited", "login_wall", "consent_wall", "age_wall"}
)


def is_good(label: str) -> bool:
    return label.startswith(GOOD)


def is_refusal(label: str) -> bool:
    """Whether a label is of a refusal and not of an error, a shell or a stub."""
    return not is_good(label) and bool(REFUSALS & set(LABELS.get(label, ("denied",))))
