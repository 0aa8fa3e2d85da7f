"""The one exception that a person is meant to read.

Everything that can go wrong with the user's input, options or installation is raised as a
`CupelError` whose message is one sentence: what happened, where, and what to do next. The
command line prints that sentence and exits with status 2; anything else is a bug.
"""


class CupelError(Exception):
    """Bad input, bad usage or a missing optional part, described in one sentence."""


class CannotWrite(CupelError):
    """A file or folder cannot be written."""


class MissingPart(CupelError):
    """A metric, tokenizer or dataset needs an extra or a file that is not there."""
