import { z } from 'zod';
import { MigrationError } from './errors.ts';

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
      .regex(/^[A-Za-z0-9-]+$/, 'should be a header name')
      .default('SVC-Token'),
    users: z.array(userLogin).default([]),
  })
  .refine(
    ({ apiKey, applicationId, authKey, authSecret, users }) =>
      apiKey || (applicationId && authKey && authSecret && users.length > 0),
    'specify an API key, or applicationId, authKey, authSecret and users with login and password',
  );

/**
 * An API key, which can act as every user, or the secret of an application and some of its users, who sign in. The chat
 * always needs users.
 */
export type SourceCredentials = z.infer<typeof credentials>;

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
    throw new MigrationError('--credentials: the file is not valid JSON');
  }
}
