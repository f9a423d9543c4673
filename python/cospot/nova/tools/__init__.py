"""The operator's commands, `cospot-nova`: setup, doctor, flavor, inventory, history, status."""
