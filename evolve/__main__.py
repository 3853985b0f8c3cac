"""`python -m evolve` is the `evolve` command."""

import sys

from evolve.cli import main

sys.exit(main())
