"""The staging area in a folder on disk."""
