"""A problem found by the verification."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """``kind`` is a word for programs, ``where`` a path, URL or run, ``sentence`` says what is wrong with it."""

    kind: str
    where: str
    sentence: str
    repairable: bool = False  # by ``scrapy verify --repair``: a crash can have left it

    def __str__(self) -> str:
        return f"{self.where}: {self.sentence}"
