"""Search at decision time, over any bot or network as its *blueprint*.

`policy` has the common parts of all searches, `choosing` compares actions, `rollouts` plays out copies of real games,
`rounds` has the common parts of searches in the competitive games. Each game has a folder with its `policy`.
"""
