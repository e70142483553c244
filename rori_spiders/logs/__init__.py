"""How a log record is written: as a line of text, or as a JSON object. Steps; ``spiderloader`` puts them in place."""
