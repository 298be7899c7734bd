# One image for every command: docker run hubledger serve | nightly | schedule | verify …
# .nvmrc has the same version of Node.js. slim has glibc, for which the memory settings below are measured.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json npm-shrinkwrap.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
# The commit, for --version: the build has no git.
ARG COMMIT
# The image has the files of the package and the sample, without what Node.js never loads: types, source maps, and other builds
# of pdf-lib (20 MB). sbom.json lists its packages.
RUN npm run build \
  && npm pack \
  && mkdir /release \
  && tar -xzf hubledger-*.tgz -C /release --strip-components=1 \
  && cp -r data/sample /release/data/sample \
  && cp .npmrc /release \
  && cd /release \
  && npm ci --omit=dev --no-audit --no-fund \
  && npm pkg delete devDependencies \
  && npm sbom --sbom-format cyclonedx > sbom.json \
  && cd node_modules && rm -rf pdf-lib/dist pdf-lib/es pdf-lib/src pdf-lib/ts3.4 \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-slim
ENV NODE_ENV=production HUBLEDGER_HOST=0.0.0.0 HUBLEDGER_DATA_ROOT=/data
# glibc keeps freed memory for each arena. Two arenas save a server of many small answers a fifth of its memory.
ENV MALLOC_ARENA_MAX=2
# Node.js 24 doubles the default of Node.js 20. Under attack the server then takes a third more memory.
ENV NODE_OPTIONS=--max-semi-space-size=16
WORKDIR /app
COPY --from=build /release ./
RUN install -d -o node -g node /data
USER node
VOLUME /data
EXPOSE 8080
# For a server. Other commands do not listen: compose.yaml disables the check for them.
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HUBLEDGER_PORT ?? 8080}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/scripts/hubledger.js"]
CMD ["serve"]
