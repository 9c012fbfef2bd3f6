# A container for machines with an NVIDIA card. UNTESTED there: the second stage has been built
# around a program compiled elsewhere, and trains on lavapipe; the first has not been built.
#
#     docker build --tag oplus .
#     docker run --rm --gpus all --volume "$PWD/work:/work" oplus run my.toml
#
# docs/installing.md says more.

FROM rust:1.95-bookworm AS build
# `native` would be the machine that builds; on AArch64 say `generic`.
ARG TARGET_CPU=x86-64-v3
ENV RUSTFLAGS="-C target-cpu=${TARGET_CPU}" \
    CARGO_PROFILE_RELEASE_DEBUG=false \
    CARGO_PROFILE_RELEASE_STRIP=symbols
WORKDIR /source
COPY . .
# `-L`: some of the files are links to where they are compiled in, which stays behind.
RUN cargo build --release --locked --features wgpu --package oplus \
    && mkdir /oplus \
    && cp -RL experiments datasets README.md LICENSE /oplus

FROM debian:bookworm-slim
# `yes` adds Mesa's lavapipe, for trying `device = "gpu"` without a card. It is left out otherwise:
# where the card is not seen, an experiment should fail and not take a hundred times as long.
ARG SOFTWARE_VULKAN=""
# A font, for pictures as PNG; the loader of Vulkan, and what NVIDIA's driver is linked with. The
# driver itself, and the file by which the loader finds it, come from the host when the container starts.
# Versions are not fixed: Debian keeps only the newest of each, which differ in what was repaired.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        fonts-dejavu-core libvulkan1 libegl1 libx11-6 libxext6 \
        ${SOFTWARE_VULKAN:+mesa-vulkan-drivers} \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home oplus
# `graphics` is what brings Vulkan.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility
COPY --from=build /source/target/release/oplus /usr/local/bin/oplus
COPY --from=build /oplus/LICENSE /usr/share/doc/oplus/LICENSE
# Without a folder of one's own the commands of the README can be tried on what is here.
COPY --from=build --chown=oplus:oplus /oplus /work
USER 1000
WORKDIR /work
ENTRYPOINT ["oplus"]
CMD ["--help"]
