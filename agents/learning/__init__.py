"""Networks, rollouts, training runs."""
