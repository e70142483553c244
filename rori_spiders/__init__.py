"""RORI Collector: public regulatory web pages, collected politely and kept with proof."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("rori-collector")
except PackageNotFoundError:  # a checkout or an egg that was never installed
    __version__ = "1.0.0"

#: Which program wrote an audit row.
BUILD = f"rori-collector/{__version__}"
#: The product token that robots.txt groups are matched against.
ROBOTS_TOKEN = "RORI-Collector"  # noqa: S105  (a name, no password)
