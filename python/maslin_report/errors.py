"""What a user can mend."""


class ReportError(Exception):
    """Something that a user can mend: what was found and where, what was expected, what to do."""
