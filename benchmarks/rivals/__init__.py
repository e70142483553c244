"""Other collectors, each a script that runs in an environment of its own, where this package is not installed."""
