"""`cospot-nova doctor`: finds problems that keep spots from working, and how to fix them."""
