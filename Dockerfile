# A container for machines with an NVIDIA card. UNTESTED there: the second stage was built with a
# program compiled elsewhere, and trains on lavapipe; the first stage was never built.
#
#     docker build --tag oplus .
#     docker run --rm --gpus all --volume "$PWD/work:/work" oplus run my.toml
#
# Details: docs/installing.md.

FROM rust:1.95-bookworm AS build
# `native` would be the CPU of the build machine; use `generic` on AArch64.
ARG TARGET_CPU=x86-64-v3
ENV RUSTFLAGS="-C target-cpu=${TARGET_CPU}" \
    CARGO_PROFILE_RELEASE_DEBUG=false \
    CARGO_PROFILE_RELEASE_STRIP=symbols
WORKDIR /source
COPY . .
# `-L`: some files are links to the sources that compile them in, which are not copied.
RUN cargo build --release --locked --features wgpu --package oplus \
    && mkdir /oplus \
    && cp -RL experiments datasets README.md LICENSE /oplus

FROM debian:bookworm-slim
# `yes` adds Mesa's lavapipe, for tests of `device = "gpu"` without a card. It is off by default: without a
# visible card an experiment should fail instead of running a hundred times as long.
ARG SOFTWARE_VULKAN=""
# A font for PNG pictures, the Vulkan loader, and the libraries of NVIDIA's driver. The host provides
# the driver and its ICD file when the container starts. Versions are not pinned: Debian keeps only the
# newest, with security fixes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        fonts-dejavu-core libvulkan1 libegl1 libx11-6 libxext6 \
        ${SOFTWARE_VULKAN:+mesa-vulkan-drivers} \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home oplus
# `graphics` includes Vulkan.
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility
COPY --from=build /source/target/release/oplus /usr/local/bin/oplus
COPY --from=build /oplus/LICENSE /usr/share/doc/oplus/LICENSE
# Files for the commands of the README, without a mounted folder.
COPY --from=build --chown=oplus:oplus /oplus /work
USER 1000
WORKDIR /work
ENTRYPOINT ["oplus"]
CMD ["--help"]
