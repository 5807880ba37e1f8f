"""See `hanabi_env.hanablive.replaying`."""

from .replaying import main

main()
