"""Lets `python -m cospot.nova.evictor` start the service."""

import sys

from cospot.nova.evictor.command import main

if __name__ == "__main__":
    sys.exit(main())
