"""The provider's side: policies in Python, comparisons, idle capacity, promises."""
