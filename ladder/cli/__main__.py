"""`python -m ladder.cli` is the `ladder` command."""

import sys

from ladder.cli import main

sys.exit(main())
