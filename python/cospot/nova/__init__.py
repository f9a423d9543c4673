"""cospot inside an unpatched OpenStack Nova: a scheduler plugin, an evictor service, tools.

`cospot.nova.scheduler` contains the filter and the weigher that nova.conf names,
`cospot.nova.evictor` the service `cospot-evictor`, and `cospot.nova.tools` the commands of
`cospot-nova`. The modules in this folder are shared: the definition of a spot flavor, and the
message with an eviction plan.

Importing this package imports nothing of OpenStack.
"""
