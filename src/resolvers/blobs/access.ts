import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Blob, BlobUpload } from '../../generated/prisma/client.ts';
import { UploadDeniedError } from '../../lib/errors.ts';
import { HOUR, isoSeconds } from '../../lib/time.ts';
import { type BlobWithUpload, findBlobByUid } from './rows.ts';
import { isSignedPolicy, signedFields } from './upload-policy.ts';

const ACCESS_LIFETIME_MS = HOUR;

/** `expiresAt` is in whole seconds, because clients receive it without fractions. */
export function newAccess(now: Date): Pick<BlobUpload, 'signingKey' | 'expiresAt'> {
  const expiresAt = new Date(Math.floor((now.getTime() + ACCESS_LIFETIME_MS) / 1000) * 1000);
  return { signingKey: randomBytes(32).toString('hex'), expiresAt };
}

export function uploadAddress(blob: Blob, { signingKey, expiresAt }: BlobUpload, publicUrl: string): string {
  const fields = signedFields(
    {
      key: blob.uid,
      acl: blob.isPublic ? 'public-read' : 'authenticated-read',
      'Content-Type': blob.contentType,
      Expires: isoSeconds(expiresAt),
      success_action_status: '201',
    },
    signingKey,
  );
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${publicUrl}/uploads?${query.join('&')}`;
}

export interface UploadFields {
  key: string;
  policy: string;
  signature: string;
  acl?: string | null;
  contentType?: string | null;
  expires?: string | null;
  successActionStatus?: string | null;
}

/** @throws {UploadDeniedError} unless the fields match the blob's current policy */
export async function requireUploadAccess(
  fields: UploadFields,
  { now }: Pick<Context, 'now'>,
): Promise<BlobWithUpload & { upload: BlobUpload }> {
  const blob = await findBlobByUid(fields.key);
  const upload = blob?.upload;
  if (!upload || upload.expiresAt <= now() || !isSignedPolicy(asSent(fields), upload.signingKey)) {
    throw new UploadDeniedError();
  }
  return { ...blob, upload };
}

/** Returns the application that will own the file. */
export async function admitUpload(fields: UploadFields, context: Pick<Context, 'now'>): Promise<number> {
  const { applicationId } = await requireUploadAccess(fields, context);
  return applicationId;
}

function asSent({ key, policy, signature, ...others }: UploadFields): Record<string, string | undefined> {
  return {
    key,
    policy,
    signature,
    acl: others.acl ?? undefined,
    'Content-Type': others.contentType ?? undefined,
    Expires: others.expires ?? undefined,
    success_action_status: others.successActionStatus ?? undefined,
  };
}
