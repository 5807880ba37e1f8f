"""Challenges: fixed sets of held-out partners, on fixed deals, for measuring agents of any kind.

`suite` reads a set and says which meetings it consists of; `board` shows their results. The sets are the JSON files of
this folder. A published set never changes; its successor has the next version number.
"""
