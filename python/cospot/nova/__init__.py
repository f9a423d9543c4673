"""cospot inside an unpatched OpenStack Nova: a scheduler plugin, an evictor service, tools.

`cospot.nova.scheduler` holds the filter and the weigher that nova.conf names, `cospot.nova.evictor`
the service `cospot-evictor`, `cospot.nova.tools` the commands of `cospot-nova`. What they share is
beside this file: what makes a flavor a spot, and the message that carries an eviction plan.

Importing this package imports nothing of OpenStack.
"""
