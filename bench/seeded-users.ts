import { createPerson, type Person } from './calls.ts';
import type { Environment } from './environment.ts';
import { fill, startSeeded } from './seeded.ts';
import { APPLICATION } from './service.ts';

export interface SeededUsers {
  url: string;
  databaseUrl: string;
  pid: number;
  size: number;
  caller: Person;
}

/** Users are named `user-1`, `user-2`, … */
export async function startSeededUsers(size: number, environment: Environment, name = 'users'): Promise<SeededUsers> {
  const { url, databaseUrl, pid } = await startSeeded(`${name}_${size}`, environment);
  await fill(databaseUrl, 'users', insertUsers(size));
  return { url, databaseUrl, pid, size, caller: await createPerson(url, 'caller') };
}

export function insertUsers(size: number): string {
  return `
    INSERT INTO users
      (application_id, login, login_key, email, full_name, phone, external_user_id, tags, created_at, updated_at)
    SELECT ${APPLICATION.id}, 'user-' || n, 'user-' || n, n || '@bench.test', 'User ' || n, '+' || (4900000000 + n), n,
      ARRAY['tag-' || (n - 1) / 5], moment, moment
    FROM generate_series(1, ${size}) n, LATERAL (SELECT now() - make_interval(secs => ${size} - n) AS moment) AS created
    ORDER BY n`;
}
