"""The base class of commands, and listings as table, JSON or CSV."""
