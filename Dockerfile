# One image for the server and the night: docker run hubledger serve | nightly | verify …
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm run build && rm -rf dist/test && npm prune --omit=dev --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production HUBLEDGER_HOST=0.0.0.0 HUBLEDGER_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/package-lock.json /app/LICENSE /app/README.md /app/CHANGELOG.md ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/schemas schemas
COPY --from=build /app/data/reference data/reference
COPY --from=build /app/data/sample data/sample
COPY --from=build /app/pipeline/tables pipeline/tables
COPY --from=build /app/pipeline/audits pipeline/audits
COPY --from=build /app/server/store server/store
COPY --from=build /app/scripts/bench/requests/*.sql scripts/bench/requests/
COPY --from=build /app/scripts/explain/*.sql scripts/explain/
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HUBLEDGER_PORT || 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/scripts/hubledger.js"]
CMD ["serve"]
