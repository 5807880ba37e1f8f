"""The long proof: what is promised, tried in amounts that no single test has, each amount on record.

    make soak                                  # everything, as far as its goals; goes on where it was
    python -m tests.proof steps --seconds 60   # a minute more of one check
    python -m tests.proof pages                # docs/proof.md from the records

Every check is a file here, its record ``results/<check>.json``, and `test_proof` a little of all of them.
"""
