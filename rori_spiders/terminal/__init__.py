"""The command line: the commands, their base class, and what they print as table, JSON or CSV."""
