# syntax=docker/dockerfile:1
# The server alone: no shell, no package manager, no root. docs/running-on-one-machine.md says how to
# run it, compose.yaml is an example.

FROM rust:1.95.0-alpine AS build
# The image has the compiler; rust-toolchain.toml would add components that a build does not need.
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked -p countersign --features aws \
    && cp target/release/countersign /usr/local/bin/countersign \
    && mkdir -p /volumes/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/countersign /usr/local/bin/countersign
# A new volume takes its owner from here.
COPY --from=build --chown=65532:65532 /volumes/ /
ENV PATH=/usr/local/bin
USER 65532:65532
# The data directory is the default, `.countersign` in here.
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["countersign", "healthcheck"]
ENTRYPOINT ["countersign"]
CMD ["serve", "--listen", "0.0.0.0:8787", "--log-format", "json"]
