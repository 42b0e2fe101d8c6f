import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import pg from 'pg';
import { logIn, loginBody, PASSWORD } from './calls.ts';
import type { Comparison, Figures, Outcome } from './comparison.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';

/** Concurrent password hashes, as in the service. */
const AT_ONCE = availableParallelism();

export async function login({ serviceUrl, people, databaseUrl, seconds }: Environment): Promise<Comparison[]> {
  let requests = 0;
  const nextBody = () => loginBody(people[requests++ % people.length]!.login);
  const ids = new Set(people.map(({ id }) => id));
  const load = async (): Promise<Figures> => {
    const figures = await httpLoad({
      url: `${serviceUrl}/session.json`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      nextBody,
      status: 201,
      isRight: (body) => ids.has(JSON.parse(body).session.user_id),
      seconds,
    });
    // Password checks are queued, so this one completes after those of aborted requests.
    await logIn(serviceUrl, people[0]!.login);
    return figures;
  };
  const passwordHash = await passwordHashOf(people[0]!.id, databaseUrl);
  return [{ name: 'log in', service: load, bare: () => verifyFor(seconds, passwordHash), note: costs }];
}

async function verifyFor(seconds: number, passwordHash: string): Promise<Figures> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let verified = 0;
  const verifyOn = async () => {
    while (performance.now() < end) {
      if (!(await verify(passwordHash, PASSWORD))) throw new Error('the password does not match');
      verified++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, verifyOn));
  return { 'requests/s': (verified * 1000) / (performance.now() - start) };
}

async function passwordHashOf(userId: number, databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT password_hash FROM users WHERE id = $1', [userId]);
    return rows[0].password_hash;
  } finally {
    await client.end();
  }
}

function costs({ service, bare }: Outcome): string {
  const hashing = (1000 * AT_ONCE) / bare;
  const rest = (1000 * AT_ONCE) / service - hashing;
  return `log in – each takes ${hashing.toFixed(1)} ms of a core for hashing and ${rest.toFixed(1)} ms for everything else, including load and waiting`;
}
