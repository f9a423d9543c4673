"""The promised minimum lifetimes of spots, for the scheduler, the evictor and the tools."""

from typing import Final

#: The evictor used to estimate lifetimes; promises hold only with it. It evicts a host's youngest
#: spots first.
EVICTOR: Final = "YJF"
