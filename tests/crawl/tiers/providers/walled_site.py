"""A site that shows programs a wall, which a provider gets behind: a challenge for us, the page for the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.server import Site
    from tests.support.server.vendor import Vendor

CHALLENGE = (
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><h1>www.example.gov</h1>'
    "<p>Checking if the site connection is secure. Enable JavaScript and cookies to continue.</p>"
    '<script>window._cf_chl_opt={cvId:"3",cType:"managed"};</script></body></html>'
)


def wall(site: Site, path: str) -> str:
    """Programs are challenged at *path*; its URL."""
    site.page(path, CHALLENGE, status=403, server="cloudflare", cf_mitigated="challenge")
    return site.at(path)


def walled(site: Site, vendor: Vendor, name: str, **more: Any) -> dict[str, Any]:
    """A source at `/name`, which *vendor* alone gets to see."""
    url = wall(site, f"/{name}")
    vendor.page(url, page(f"Behind {name}"))
    return source(name, url, **more)
