# Hanabako with training and pixels, on CPUs.
#
#     docker build -t hanabako .
#     docker run --rm -it hanabako hanabako play hanabi --with smart
#     docker run --rm -v "$PWD/runs:/work/runs" hanabako hanabako train --preset mini --minutes 1
#
# Numba's cache is filled while the image is built, so that a container's first step does not compile the standard games
# on a processor of the same kind.
FROM python:3.13-slim

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 NUMBA_CACHE_DIR=/opt/numba
WORKDIR /opt/hanabako
COPY . .
RUN pip install torch==$(sed -n 's/^torch==//p' constraints.txt) --index-url https://download.pytorch.org/whl/cpu \
    && pip install --constraint constraints.txt ".[agents,render]"

RUN useradd --create-home player && mkdir -p /work "$NUMBA_CACHE_DIR" && chown player /work "$NUMBA_CACHE_DIR"
USER player
WORKDIR /work
RUN for game in hanabi ikebana koikoi; do hanabako evaluate $game --agents random --games 10 || exit 1; done
CMD ["hanabako", "--help"]
