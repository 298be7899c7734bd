# One image for the server, the night and the schedule: docker run hubledger serve | nightly | schedule | verify …
# The version of Node.js stands in .nvmrc, too.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The program reads neither types nor source maps of packages, nor ccxt's bundle for browsers.
RUN npm run build \
  && rm -rf dist/test dist/.tsbuildinfo \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/ccxt/dist \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-slim
ENV NODE_ENV=production HUBLEDGER_HOST=0.0.0.0 HUBLEDGER_DATA_DIR=/data
# The C library keeps freed memory for each thread that asks for some; a server of many small answers needs a fifth less with two pools.
ENV MALLOC_ARENA_MAX=2
# Node.js 24 lets what is new take twice the memory that Node.js 20 did, and a server under attack then takes a third more.
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
COPY --from=build /app/server/store server/store
COPY --from=build /app/server/docs/site/guides server/docs/site/guides
COPY --from=build /app/scripts/bench/*.sql scripts/bench/
COPY --from=build /app/scripts/explain/*.sql scripts/explain/
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["node", "dist/scripts/hubledger.js"]
CMD ["serve"]
