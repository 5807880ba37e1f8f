"""Write all playthroughs again: ``python -m tests.playthroughs``."""

from tests.playthroughs.generate import write_all

for path in write_all():
    print(path)
