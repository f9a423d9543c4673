"""What spots are promised: how long one lives at least. Used by scheduler, evictor and tools."""
