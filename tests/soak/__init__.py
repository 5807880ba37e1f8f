"""The soak: what the tests check for a minute, checked for hours; a study whose page is docs/soak.md.

    make soak                                                  # all checks; continues where it stopped
    make soak ARGS="--where check=steps --minutes 10 --again"  # one check for a while, from the beginning

Every check is a file here; `soak.py` makes a study of them, and `test_soak.py` runs a little of each.
"""
