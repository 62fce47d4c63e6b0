# One image for the gateway and for relays: docker run causeway [gateway|relay|keygen|rotate|health] [flags].
# docs/deploy.md shows both; tooling/image.ts does the same steps where there is no Docker.

FROM node:24-bookworm-slim AS packages
WORKDIR /causeway
COPY package.json package-lock.json .npmrc ./
# The image has a Node of its own.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-*

FROM node:24-bookworm-slim
# Authorities of public certificates: the edge runtime trusts those of the system.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates=2023* \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /causeway
COPY --from=packages /causeway/node_modules node_modules
COPY . .
# What programs write: state and keys, and compiled modules.
RUN mkdir -p /data node_modules/.cache && chown 1000:1000 /data node_modules/.cache
USER 1000:1000
ENV NODE_ENV=production DATA=/data HOST=0.0.0.0 RELAY_HOST=0.0.0.0 LOG_FORMAT=json
VOLUME /data
EXPOSE 8787 8788
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["/causeway/server/causeway.sh", "health"]
ENTRYPOINT ["/causeway/server/causeway.sh"]
CMD ["gateway"]
