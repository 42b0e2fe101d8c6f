import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Writes the types of the GraphQL schema with the classes of the project. @returns the exit code */
export async function writeTypes(backend, apiKey) {
  const child = spawn('npx', ['atrium-types', backend, 'web/atrium-env.d.ts'], {
    env: { ...process.env, ATRIUM_API_KEY: apiKey },
    shell: process.platform === 'win32',
    stdio: 'inherit',
  });
  const [code] = await once(child, 'close');
  return code ?? 1;
}
