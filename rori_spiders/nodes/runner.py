"""Start a job (Scrapyd's setting ``runner``) as Scrapyd does, but prefer the code in a project's egg.

Scrapyd puts an egg at the end of Python's path, behind the package that is installed on the node: the job would run
that one, and say nothing.
"""

import os
import sys
import warnings


def main() -> None:
    with warnings.catch_warnings():  # pkg_resources warns of its deprecation in each job
        warnings.simplefilter("ignore", UserWarning)
        from scrapyd.runner import project_environment

    before = set(sys.path)
    with project_environment(os.environ["SCRAPY_PROJECT"]):
        prefer_eggs([entry for entry in sys.path if entry not in before])
        from scrapy.cmdline import execute

        execute()


def prefer_eggs(eggs: list[str]) -> None:
    """Put *eggs* first on Python's path, and drop modules of this package imported from elsewhere."""
    if not eggs:
        return
    sys.path[:] = [*eggs, *(entry for entry in sys.path if entry not in eggs)]
    own = __package__.partition(".")[0] if __package__ else ""
    for name in [name for name in sys.modules if name == own or name.startswith(f"{own}.")]:
        del sys.modules[name]


if __name__ == "__main__":
    main()
