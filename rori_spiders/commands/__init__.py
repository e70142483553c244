"""What a user types: one module a command, its name the command's. Each parses options, calls a step, and prints."""
