"""Numbers in sentences for people. A step: text only."""


def format_count(number: int, noun: str) -> str:
    """``1 page``, ``0 pages``, ``2,000 pages``: *noun* is in the singular, and its plural ends with s.

    Of a phrase, the word before ``of`` is counted (``2 lists of pages``), else the last one (``2 removed blocks``).
    """
    counted, of, rest = noun.partition(" of ")
    return f"{number:,} {counted}{'s' * (number != 1)}{of}{rest}"


def format_page_numbers(numbers: tuple[int, ...]) -> str:
    """Page numbers for a person: ``pages 2-4, 9``; ten ranges at most."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [f"{first}-{last}" if last > first else f"{first}" for first, last in ranges[:10]]
    more = f" and {len(ranges) - 10} more ranges" if len(ranges) > 10 else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(shown)}{more}"
