"""Captures that others made: read from web archives and folders, judged, converted, and recorded apart from our own."""
