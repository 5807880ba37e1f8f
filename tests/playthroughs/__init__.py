"""One whole game per preset as readable text, under version control.

``python -m tests.playthroughs`` writes the texts again; `test_playthroughs` compares them. A change of a rule, of an
action number or of an observation bit shows up in review as a changed game.
"""
