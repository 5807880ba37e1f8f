"""Commands that the tests start."""

import signal


def heed_signals() -> None:
    """For ``preexec_fn``: if the tests run in the background, or under nohup, their children would ignore these."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
