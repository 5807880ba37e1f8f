"""Search: a seat that thinks before it acts, over any bot or network as its *blueprint*.

`policy` is what all searches share, `choosing` how actions are compared, `rollouts` has copies of real games that are
played out, `rounds` what searches of the competitive games share. Each game has a folder with its `policy`.
"""
