import { defineConfig } from 'prisma/config';

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // `generate`, `validate` and `format` never connect, so they work without DATABASE_URL too.
  datasource: { url: process.env.DATABASE_URL ?? 'postgresql://postgres@localhost/app' },
});
