"""Challenges: fixed sets of held-out partners, on fixed deals, that an agent of any kind can be measured with.

`suite` reads what a set is, `meetings` plays an agent with its members, `board` shows results. The sets are the JSON
files of this folder; one that has been published never changes, its successor has the next version.
"""
