"""`python -m graders`: the command line of the graders."""

import sys

from graders.cli import main

if __name__ == "__main__":  # a box's helpers may import the main module again
    sys.exit(main())
