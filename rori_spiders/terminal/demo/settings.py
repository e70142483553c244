"""Settings of the demo: its own manifest, separate from yours, and the address of its local site."""

from __future__ import annotations

from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import Locations, project_folder
from rori_spiders.exceptions import ProjectMissing

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.settings import BaseSettings

HOST, PORT = "127.0.0.1", 8799


def apply_demo_settings(settings: BaseSettings) -> Path:
    """Make *settings* use only the packaged manifest `demo`; return the demo's working folder."""
    cfg = closest_scrapy_cfg()
    folder = project_folder(cfg) / "collect" / "demo"
    manifest = folder / "demo.json"
    allowed = [*settings.getlist("RORI_ALLOWED_ADDRESSES"), f"{HOST}:{PORT}"]
    for name, value in {
        "RORI_MANIFEST": str(manifest),
        "RORI_ALLOWED_ADDRESSES": ",".join(one for one in allowed if one),
        "RORI_ACTIVATE": False,
    }.items():
        settings.set(name, value, priority="cmdline")
    with suppress(ProjectMissing):  # the command refuses that; nothing is to lie there then
        Locations.from_settings(settings, cfg)
        folder.mkdir(parents=True, exist_ok=True)
        manifest.write_bytes((files("rori_spiders") / "manifests" / "demo.json").read_bytes())
    return folder
