"""Playing games with policies: the protocol of policies, their seats, and blocks of games. All of agents uses it."""
