# SPDX-License-Identifier: MIT
"""Results as TAP."""


class Tap:
    """Counts results; finish() gives the exit status."""

    def __init__(self):
        self.number = 0
        self.failed = 0

    def result(self, name, complaints):
        """Passed if there are no complaints; they come as comments."""
        self.number += 1
        print(f"{'not ok' if complaints else 'ok'} {self.number} - {name}")
        for complaint in complaints:
            print(f"#   {complaint}")
        self.failed += bool(complaints)

    def skip(self, name, reason):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {reason}")

    def finish(self):
        print(f"1..{self.number}")
        return 1 if self.failed else 0
