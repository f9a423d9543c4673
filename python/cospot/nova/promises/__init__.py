"""What spots are promised: how long one lives at least. Used by scheduler, evictor and tools."""

from typing import Final

#: The evictor with which lifetimes are estimated, and without which promises do not hold: of a host
#: the youngest spots go first.
EVICTOR: Final = "YJF"
