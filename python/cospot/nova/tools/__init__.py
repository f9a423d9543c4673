"""The operator's commands, `cospot-nova`: doctor, flavor, inventory, history, status."""
