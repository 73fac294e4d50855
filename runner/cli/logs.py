"""Where the log goes and how much of it: standard error, one line an event."""

import logging
import sys

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def set_up_logging(*, quiet: bool, verbose: bool) -> None:
    """Logs of this program and of warnings to standard error; called once, by the command."""
    level = logging.ERROR if quiet else logging.DEBUG if verbose else logging.WARNING
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("runner").setLevel(level)
    logging.captureWarnings(True)
