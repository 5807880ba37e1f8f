"""One whole game per preset as readable text, under version control.

``python -m tests.playthroughs`` writes the texts again; `test_playthroughs` compares them. A change of a rule, an
action number or an observation bit then shows up in review as a changed game.
"""
