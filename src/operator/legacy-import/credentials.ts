import { z } from 'zod';
import { MigrationError } from './problem.ts';

const text = z.string().min(1);

const userLogin = z.strictObject({ login: text, password: text });

const credentials = z
  .strictObject({
    apiKey: text.optional(),
    applicationId: z.int().min(1).optional(),
    authKey: text.optional(),
    authSecret: text.optional(),
    signatureHash: z.enum(['sha1', 'sha256']).default('sha1'),
    tokenHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/, 'should be the name of a header')
      .default('SVC-Token'),
    users: z.array(userLogin).default([]),
  })
  .refine(
    ({ apiKey, applicationId, authKey, authSecret, users }) =>
      apiKey ? users.length === 0 : applicationId && authKey && authSecret && users.length > 0,
    'an API key is needed, or applicationId, authKey, authSecret and users with login and password',
  );

/**
 * What the other server knows us by: an API key, by which we read as everybody, or the secret of an application and some
 * of its users, by which we read as those.
 */
export type SourceCredentials = z.infer<typeof credentials>;

/** The variables that the configuration reads (src/config.ts). */
export interface CredentialVariables {
  apiKey?: string | undefined;
  applicationId?: number | undefined;
  authKey?: string | undefined;
  authSecret?: string | undefined;
  login?: string | undefined;
  password?: string | undefined;
  signatureHash?: string | undefined;
  tokenHeader?: string | undefined;
}

/**
 * Credentials from a file's JSON, else from the variables.
 * @throws {MigrationError} they are incomplete
 */
export function readCredentials(file: string | undefined, variables: CredentialVariables): SourceCredentials {
  const result = credentials.safeParse(file === undefined ? fromVariables(variables) : parse(file));
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const source = file === undefined ? 'SOURCE_…' : '--credentials';
  throw new MigrationError(`${source}: ${[...path, message].join(': ')}`);
}

function fromVariables({ login, password, ...others }: CredentialVariables): object {
  const defined = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return login === undefined && password === undefined ? defined : { ...defined, users: [{ login, password }] };
}

function parse(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch {
    throw new MigrationError('--credentials: the file holds no JSON');
  }
}
