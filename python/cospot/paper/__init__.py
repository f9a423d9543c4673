"""The evaluation of the CoSpot paper, made again from results databases.

``examples/paper/run.sh`` runs the sweeps and then this package (``python -m cospot.paper``), which
draws Figures 2, 4, 5, 6, 7 and 8 and puts every finding and printed number beside what came out
here. Needs pandas and matplotlib, nothing compiled.

Source: Iqbal et al., "CoSpot: A Cooperative VM Allocation Framework for Increased Revenue from Spot
Instances", SoCC'22, sections 2, 4 and 5.
"""
