"""``python -m tools.demo_site OUT``: build the demo site into the folder OUT, which may not exist yet."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.demo_site.site import build_site_files


def main(arguments: list[str]) -> int:
    """Write the site. Returns the exit code: 2 without exactly one folder, or when it is there already."""
    if len(arguments) != 1 or Path(arguments[0]).exists():
        sys.stderr.write("usage: python -m tools.demo_site OUT   (a folder that does not exist yet)\n")
        return 2
    out = Path(arguments[0])
    for name, body in build_site_files().items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
