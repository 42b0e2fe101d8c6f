import { afterAll, beforeAll } from 'vitest';
import { PASSWORD_COST } from '../../../src/resolvers/users/passwords.ts';

export const PRODUCTION_COST = { ...PASSWORD_COST };

/** The lowest cost of Argon2. Hashing for every user of the fixtures would take a third of the time of all tests. */
const TEST_COST = { memoryKib: 8, passes: 1, lanes: 1 };

Object.assign(PASSWORD_COST, TEST_COST);

/** Hashes passwords of this process at the cost of production, for tests of how long sign-ins wait. */
export function useProductionCost(): void {
  beforeAll(() => {
    Object.assign(PASSWORD_COST, PRODUCTION_COST);
  });
  afterAll(() => {
    Object.assign(PASSWORD_COST, TEST_COST);
  });
}
