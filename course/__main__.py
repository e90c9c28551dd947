"""`python -m course`: the command line of the kit."""

import sys

from course.cli import main

sys.exit(main())
