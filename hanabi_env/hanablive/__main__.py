"""See `hanabi_env.hanablive.replaying`."""

from .replaying import main

if __name__ == "__main__":
    main()
