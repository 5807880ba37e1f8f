"""Networks that play: what they compute, how they choose, and the files they are kept in."""

from hanabako.extras import need

need("a network", "torch", "safetensors")
