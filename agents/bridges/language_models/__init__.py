"""Language models as players: their prompts, the parsing of their answers, and the policy that plays with them."""
