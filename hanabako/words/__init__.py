"""What callers write and read: checks with errors in words, and names of players."""
