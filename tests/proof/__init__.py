"""The long proof: tests of our promises at a scale that no single test has, with records of how much ran.

    make soak                                  # all checks, up to their goals; continues where it stopped
    python -m tests.proof steps --seconds 60   # one more minute of one check
    python -m tests.proof pages                # docs/proof.md from the records

Every check is a file here with its record in ``results/<check>.json``; `test_proof` runs a little of each.
"""
