"""Challenges: fixed sets of held-out partners, on fixed deals, for measuring agents of any kind.

`suite` reads a set, `meetings` plays an agent with its members, `board` shows results. The sets are the JSON files of
this folder. A published set never changes; its successor has the next version number.
"""
