"""`python -m fusion_contracts` is `fusion`."""

import sys

from fusion_contracts.cli import main

if __name__ == "__main__":
    sys.exit(main())
