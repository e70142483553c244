"""Locations of manifests, staging area and ledger. A step: no Scrapy import, opens no file.

In: settings (Scrapy's, or any mapping), the path of ``scrapy.cfg``, the environment. Out: absolute places.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rori_spiders.configuration.setting_values import CMDLINE_PRIORITY
from rori_spiders.exceptions import ProjectMissing
from rori_spiders.ledger.database_url import parse_database_url

DEFAULT_STAGING = "collect/staged"
DEFAULT_DATABASE_URL = "sqlite:///collect/ledger.db"
DEFAULT_PATHS = {
    "RORI_EXTRACTION_CACHE_DIR": "collect/fields",
    "RORI_CORPUS_RULES": "corpora",
    "RORI_EVIDENCE_KEY_FILE": "evidence.key",
    "RORI_EVIDENCE_TSA_ROOTS": "",
}


@dataclass(frozen=True, slots=True)
class Locations:
    """Absolute places of one project."""

    manifests: tuple[Path, ...]  # given explicitly by RORI_MANIFEST; empty: the ledger's, else the packaged default
    staging: str  # a folder, or a URI such as s3://bucket/prefix
    database_url: str = field(repr=False)  # may hold a password
    allowed_addresses: tuple[str, ...] = ()  # RORI_ALLOWED_ADDRESSES: what a manifest may name though it is not public
    replica_url: str = field(default="", repr=False)  # of the ledger's server, for what the monitor and metrics read

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], cfg: str | Path | None, environ: Mapping[str, str] = os.environ
    ) -> Locations:
        """Read them from RORI_MANIFEST, RORI_STAGING and the others: ``-s`` over the environment over settings.py.

        Relative paths resolve against the folder of *cfg*, the project's ``scrapy.cfg``. UsageError for a relative
        path when there is none ("" or None), and for what is not a database URL.
        """
        root = Path(cfg).resolve().parent if cfg else None
        return cls(
            manifests=_manifest_paths(_setting_value("RORI_MANIFEST", settings, environ), root),
            staging=_staging_location(
                _clean_text(_setting_value("RORI_STAGING", settings, environ)) or DEFAULT_STAGING, root
            ),
            database_url=_database_location(
                _clean_text(_setting_value("RORI_DATABASE_URL", settings, environ)) or DEFAULT_DATABASE_URL, root
            ),
            allowed_addresses=tuple(_split_list(_setting_value("RORI_ALLOWED_ADDRESSES", settings, environ))),
            replica_url=_clean_text(_setting_value("RORI_DATABASE_REPLICA_URL", settings, environ)),
        )

    @property
    def has_ledger(self) -> bool:
        """Whether there is a ledger to read. A server's is taken to be there: asking it tells."""
        file = parse_database_url(self.database_url).path
        if file is None:
            return True
        try:
            return file.stat().st_size > 0
        except OSError:
            return False

    @property
    def shown_ledger(self) -> str:
        """The ledger's place as it may be printed: without a password."""
        return str(parse_database_url(self.database_url))


def project_folder(cfg: str) -> Path:
    """The folder of the ``scrapy.cfg`` at *cfg*; where there is none, the one that we are in."""
    return Path(cfg).resolve().parent if cfg else Path.cwd()


def setting_path(
    name: str, settings: Mapping[str, Any], cfg: str | Path | None, environ: Mapping[str, str] = os.environ
) -> Path:
    """The file or folder of the setting *name*, one of DEFAULT_PATHS, as ``from_settings`` reads the others."""
    root = Path(cfg).resolve().parent if cfg else None
    return _absolute_path(_clean_text(_setting_value(name, settings, environ)) or DEFAULT_PATHS[name], root, name)


def evidence_key_file(
    settings: Mapping[str, Any], cfg: str | Path | None, environ: Mapping[str, str] = os.environ
) -> Path | None:
    """RORI_EVIDENCE_KEY_FILE, the file of the keys that sign heads.

    None where it has its default and there is no project, as under Scrapyd.
    """
    name = "RORI_EVIDENCE_KEY_FILE"
    if not cfg and _clean_text(_setting_value(name, settings, environ)) in {"", DEFAULT_PATHS[name]}:
        return None
    return setting_path(name, settings, cfg, environ)


def timestamp_roots_file(settings: Mapping[str, Any], cfg: str | Path | None) -> Path | None:
    """RORI_EVIDENCE_TSA_ROOTS, the certificates behind timestamps."""
    name = "RORI_EVIDENCE_TSA_ROOTS"
    return setting_path(name, settings, cfg) if _clean_text(_setting_value(name, settings, os.environ)) else None


def _setting_value(name: str, settings: Mapping[str, Any], environ: Mapping[str, str]) -> Any:
    value = settings.get(name)
    priority = getattr(settings, "getpriority", lambda _: None)(name)
    if value and priority is not None and priority >= CMDLINE_PRIORITY:
        return value
    return environ.get(name) or value


def _clean_text(value: Any) -> str:
    return str(value).strip() if value else ""


def _split_list(value: Any, separators: str = ",") -> list[str]:
    parts = value if isinstance(value, list | tuple) else re.split(f"[{separators}]", _clean_text(value))
    return [name for part in parts if (name := _clean_text(part))]


def _manifest_paths(value: Any, root: Path | None) -> tuple[Path, ...]:
    names = _split_list(value, separators=f",{os.pathsep}")
    return tuple(_manifest_path(name, root) for name in names)


def _manifest_path(name: str, root: Path | None) -> Path:
    """A file name without a folder that does not exist may be that of a packaged manifest."""
    if name == Path(name).name and (root is None or not (root / name).exists()):
        # Every command imports this module at its start, and manifests take long to import.
        from rori_spiders.manifest.loading import find_packaged_file

        if (packaged := find_packaged_file(name)) is not None:
            return Path(packaged)
    return _absolute_path(name, root, "RORI_MANIFEST")


def _staging_location(value: str, root: Path | None) -> str:
    if "://" in value:
        return value
    return str(_absolute_path(value, root, "RORI_STAGING"))


def _database_location(value: str, root: Path | None) -> str:
    scheme, separator, name = value.partition(":///")
    if not separator and "://" in value:
        return value
    if separator and not scheme.startswith("sqlite"):
        return value
    path = name if separator else value
    return f"sqlite:///{_absolute_path(path, root, 'RORI_DATABASE_URL')}"


def _absolute_path(name: str, root: Path | None, setting: str) -> Path:
    path = Path(name).expanduser()
    if path.is_absolute():
        return path
    if root is None:
        raise ProjectMissing(
            f"{setting} is the relative path {name!r}, but no scrapy.cfg was found here or in a parent folder. "
            "Change to the project folder, lay one out with `rori init`, or use an absolute path."
        )
    return root / path
