"""Writes what became of a URL: transaction B of the order of writing (stores/staging.py), then its line in a file."""

from rori_spiders.recording.recorder import Recorder

__all__ = ["Recorder"]
