import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const source = (path: string) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url));
const service = process.env.ATRIUM_URL ?? 'http://127.0.0.1:4000';

// A page of one origin: in production, let the proxy in front of the service pass the same paths.
const proxy = {
  '/graphql': { target: service, ws: true },
  '/blobs': { target: service },
  '/sign-in': { target: service },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // In an app of your own, these are packages.
  resolve: {
    alias: [
      { find: '@atrium/client', replacement: source('client/src/index.ts') },
      { find: '@atrium/react', replacement: source('react/src/index.ts') },
      { find: '@atrium/chat-ui/styles.css', replacement: source('chat-ui/src/styles.css') },
      { find: '@atrium/chat-ui', replacement: source('chat-ui/src/index.ts') },
    ],
  },
  define: {
    'import.meta.env.VITE_APPLICATION_ID': JSON.stringify(process.env.APPLICATION_ID ?? '1'),
    'import.meta.env.VITE_SIGN_IN': JSON.stringify(process.env.SIGN_IN ?? ''),
  },
  server: { port: 5173, proxy },
  preview: { port: 5173, proxy },
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true },
});
