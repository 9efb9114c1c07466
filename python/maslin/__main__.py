"""The command ``maslin``, which the package brings along."""

import os
import sys

from . import COMMAND


def main() -> None:
    os.execv(COMMAND, ["maslin", *sys.argv[1:]])


if __name__ == "__main__":
    main()
