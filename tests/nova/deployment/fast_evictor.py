"""cospot-evictor, its clock ahead: `python -m deployment.fast_evictor SECONDS ARGUMENT...`.

The clock of the day, that is; the monotonic clock is nobody else's.
"""

import sys
import time

from cospot.nova.evictor.command import main

if __name__ == "__main__":
    ahead = float(sys.argv[1])
    clock = time.time
    time.time = lambda: clock() + ahead
    sys.exit(main(sys.argv[2:]))
