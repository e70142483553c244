"""``scrapy init``: lay out a new project."""

import argparse
import json
import shlex
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

from rori_spiders.runtime.redacted_output import program_name
from rori_spiders.terminal.command import RoriCommand

_CFG = """# Scrapy looks for this file to find the project; relative RORI_* paths resolve against its folder.
[settings]
default = rori_spiders.settings
"""
_ENV = """# Settings of this project, read by `rori`; docs/reference/settings.md has all. The environment comes first.
RORI_MANIFEST=manifest.json
# Who answers for these requests, and where alerts go:
# RORI_ALERT_EMAIL=you@example.org
# RORI_SMTP_URL=smtp://localhost
# What `rori monitor` serves:
# RORI_MONITOR_PORT=8650
"""
_IGNORED = ".env\ncollect/\nevidence.key\n"
#: The packaged source that a new manifest begins with, paused: nothing is requested before a person says so.
_EXAMPLE = "cfpb-reg-1024"


class Init(RoriCommand):
    examples = ("rori init", "rori init regulations/")
    usage = "[FOLDER]"
    summary = "Lay out a new project: scrapy.cfg, a manifest, .env"
    description = (
        "Writes scrapy.cfg, manifest.json with one paused source as an example, .env with settings, and .gitignore to "
        "FOLDER (default: this one). Existing files are not changed. Requests nothing."
    )
    requires_project = False
    needs_settings: ClassVar[bool] = False  # a newcomer who has none begins here

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", metavar="FOLDER", type=Path, default=Path(), help="default: this one")

    def answer(self, opts: argparse.Namespace) -> int:
        folder: Path = opts.folder
        folder.mkdir(parents=True, exist_ok=True)
        manifest = f"{json.dumps(self._example_manifest(), indent=2, ensure_ascii=False)}\n"
        files = {"scrapy.cfg": _CFG, "manifest.json": manifest, ".env": _ENV, ".gitignore": _IGNORED}
        for name, text in files.items():
            path = folder / name
            try:
                with path.open("x", encoding="utf-8") as out:
                    out.write(text)
            except FileExistsError:
                print(f"Kept    {path}: it exists.")
                continue
            if name == ".env":
                path.chmod(0o600)  # for passwords and keys
            print(f"Wrote   {path}")
        print("\nNext:")
        if folder != Path():
            print(f"  cd {shlex.quote(str(folder))}")
        program = "rori" if program_name() == "scrapy" else program_name()
        for command, what in (
            ("demo", "a collection of a small site on this machine, and its changes"),
            ("manifest add URL --to manifest.json", "propose a source of your own"),
            ("collect", "collect what is due"),
            ("monitor", "the changes in a browser"),
        ):
            print(f"  {f'{program} {command}':42}  {what}")
        return 0

    def _example_manifest(self) -> dict[str, Any]:
        packaged = resources.files("rori_spiders") / "manifests" / "fthb.json"
        manifest: dict[str, Any] = json.loads(packaged.read_text(encoding="utf-8"))
        [example] = (source for source in manifest["sources"] if source["id"] == _EXAMPLE)
        day = f"{self.now():%Y-%m-%dT00:00:00Z}"
        head = {"$schema": manifest["$schema"], "version": "1.0.0", "created": day, "updated": day}
        return {**head, "vertical": manifest["vertical"], "sources": [{**example, "status": "paused"}]}
