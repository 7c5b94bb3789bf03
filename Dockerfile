# syntax=docker/dockerfile:1
# One image for every process: `server` by default, `worker`, `start`, or `agent …` for the command line.

FROM node:22.21.1-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev

FROM node:22.21.1-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app /app
RUN install --directory --owner=node --group=node --mode=0700 /data /backups
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "deploy/healthcheck.mjs"]
ENTRYPOINT ["node", "scripts/run.mjs"]
CMD ["server"]
