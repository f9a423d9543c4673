"""`cospot-nova doctor`: what keeps spots from working, and how to fix it."""
