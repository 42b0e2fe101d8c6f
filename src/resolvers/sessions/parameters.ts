import type { ParameterPair } from '../../lib/signature.ts';
import type { EmailCode } from './mailed-codes.ts';
import type { IdToken } from './token-sign-in.ts';

/** Either separate fields, or `parameters` as a legacy client signed them. */
export interface SessionRequest {
  applicationId?: number | null;
  authKey?: string | null;
  nonce?: number | null;
  timestamp?: number | null;
  signature?: string | null;
  user?: { id?: number | null; login?: string | null; email?: string | null; password?: string | null } | null;
  provider?: string | null;
  keys?: { token?: string | null; secret?: string | null } | null;
  firebasePhone?: { accessToken?: string | null; projectId?: string | null } | null;
  emailCode?: EmailCode | null;
  idToken?: IdToken | null;
  parameters?: { name: string; value: string }[] | null;
}

/** Undefined and null fields are not signed. */
export function signedPairs(request: SessionRequest): ParameterPair[] {
  if (request.parameters) return request.parameters.map(({ name, value }) => [name, value]);
  const {
    applicationId,
    authKey,
    nonce,
    timestamp,
    signature,
    user,
    provider,
    keys,
    firebasePhone,
    emailCode,
    idToken,
  } = request;
  const fields = {
    application_id: applicationId,
    auth_key: authKey,
    nonce,
    timestamp,
    signature,
    'user[id]': user?.id,
    'user[login]': user?.login,
    'user[email]': user?.email,
    'user[password]': user?.password,
    provider,
    'keys[token]': keys?.token,
    'keys[secret]': keys?.secret,
    'firebase_phone[access_token]': firebasePhone?.accessToken,
    'firebase_phone[project_id]': firebasePhone?.projectId,
    'email_code[token]': emailCode?.token,
    'email_code[code]': emailCode?.code,
    'id_token[token]': idToken?.token,
    'id_token[nonce]': idToken?.nonce,
  };
  return Object.entries(fields).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)] as const]));
}
