# One image for every command: docker run hubledger serve | nightly | schedule | verify …
# .nvmrc has the same version of Node.js. slim has glibc, for which the memory settings below are measured.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# Removes what Node.js never loads: types, source maps, and other builds of pdf-lib (20 MB).
RUN npm run build \
  && rm -rf dist/test dist/.tsbuildinfo \
  && npm prune --omit=dev --no-audit --no-fund \
  && cd node_modules && rm -rf pdf-lib/dist pdf-lib/es pdf-lib/src pdf-lib/ts3.4 \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-slim
ENV NODE_ENV=production HUBLEDGER_HOST=0.0.0.0 HUBLEDGER_DATA_ROOT=/data
# glibc keeps freed memory for each arena. Two arenas save a server of many small answers a fifth of its memory.
ENV MALLOC_ARENA_MAX=2
# Node.js 24 doubles the default of Node.js 20. Under attack the server then takes a third more memory.
ENV NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
COPY --from=build /app/package.json /app/package-lock.json /app/LICENSE /app/README.md /app/CHANGELOG.md ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schemas schemas
COPY --from=build /app/data/reference data/reference
COPY --from=build /app/data/sample data/sample
COPY --from=build /app/docs docs
COPY --from=build /app/pipeline/tables pipeline/tables
COPY --from=build /app/pipeline/audits pipeline/audits
COPY --from=build /app/server/people/store server/people/store
COPY --from=build /app/server/docs/site/guides server/docs/site/guides
COPY --from=build /app/scripts/bench/*.sql scripts/bench/
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
# For a server. Other commands do not listen: compose.yaml disables the check for them.
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HUBLEDGER_PORT ?? 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/scripts/hubledger.js"]
CMD ["serve"]
