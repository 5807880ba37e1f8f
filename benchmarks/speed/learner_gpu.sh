#!/usr/bin/env bash
# The learner on one GPU, in a single call: decisions a second, then ten minutes of standard Hanabi for two.
# The games are played on the processor's cores; packed words cross the bus and are unpacked and learned from there.
# It needs torch for CUDA and the packages of constraints.txt, and has never run: no GPU was at hand when it was written.
#
#     PYTHON=python3 OUT=gpu benchmarks/speed/learner_gpu.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
out=${OUT:-runs/gpu}
cores=$(nproc)
mkdir -p "$out"
"$python" -m benchmarks.speed.learner --device cuda --games 16384 --minibatch 65536 --threads "$cores" --out "$out/learner.json"
"$python" -m agents.ppo --device cuda --games 16384 --minibatch 65536 --threads "$cores" --minutes 10 \
    --run-dir "$out/run"
