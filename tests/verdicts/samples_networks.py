"""What the rules of networks, servers and stock pages must tell: see samples.py."""

from __future__ import annotations

NETWORKS: dict[str, str | tuple[str, str]] = {
    "rimon": "rimon: RWC_BLOCK",
    "network-server": "server: Protected by WireFilter 8000",
    "network-host": "https://block.opendns.com/?url=x",
    "network-address": "http://blocked.example.net/?u=x",
    "network-frame": "http://deny.example.net/webadmin/deny/index.php?dpid=1",
    "network-title": "Web Page Blocked",
    "network-heading": "This content is locked",
    "network-text": "Access to this site has been blocked by an order of the court.",
    "network-text-slavic": "Доступ к этой странице ограничен по решению суда.",
    "network-text-romance": "Il sito richiesto è stato bloccato.",
    "network-text-germanic": "Der Zugriff auf diese Seite wurde gesperrt.",
    "network-text-indonesian": "Situs yang Anda buka diblokir.",
    "network-text-other": "Bu siteye erişim engellenmiştir.",
    "network-lighthouse": "Offers in town. lighthouse.du.ae",
    "network-product": "FortiGuard Intrusion Prevention",
    "squid-denied": "Access control configuration prevents your request from being allowed at this time.",
    "squid-error": "The following error was met while trying to retrieve the URL: http://example.gov/",
    "firewall-portal": "User Portal",
}

SERVERS: dict[str, str | tuple[str, str]] = {
    "aspnet-not-found": "Server Error in '/' Application. The resource cannot be found.",
    "iis-not-found": "HTTP Error 404.0 - Not Found",
    "iis-denied": "HTTP Error 403.14 - Forbidden",
    "iis-error": "HTTP Error 503.2 - Unavailable",
    "aspnet-error": "Server Error in '/App' Application. Runtime Error.",
    "moved-title": "Object moved",
    "moved-text": "If you are not redirected, follow this link.",
    "authorization-title": "401 Authorization Required",
    "login-required": "You must be logged in to view this page.",
    "sign-in-name": ('<input id="i1" name="loginfmt">', "Sign in to your account"),
    "application-text": "Whitelabel Error Page",
    "akamai-error": "An error occurred while processing your request. Reference #97.8a.15",
    "default-title": "Welcome to nginx!",
    "default-text": "If you see this page, the nginx web server is installed.",
    "line-denied": "RBAC: access denied",
    "line-not-found": "404 page not found",
    "line-error": "Internal Server Error",
    "line-limit": "Slow down!",
}
