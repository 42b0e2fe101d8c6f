import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Blob, BlobUpload } from '../../generated/prisma/client.ts';
import { UploadDeniedError } from '../../lib/errors.ts';
import { HOUR, isoSeconds } from '../../lib/time.ts';
import { type BlobWithUpload, findBlobByUid } from './rows.ts';
import { isSignedPolicy, signedFields } from './upload-policy.ts';

/** How long the right to an upload holds. */
const ACCESS_LIFETIME_MS = HOUR;

/** What is stored of a new right to upload. Whole seconds: that is how it is told. */
export function newAccess(now: Date): Pick<BlobUpload, 'signingKey' | 'expiresAt'> {
  const expiresAt = new Date(Math.floor((now.getTime() + ACCESS_LIFETIME_MS) / 1000) * 1000);
  return { signingKey: randomBytes(32).toString('hex'), expiresAt };
}

/** The address at which the blob's bytes are uploaded, with the form fields that have to go with them as its query. */
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

/** The fields of an upload as they are sent; undefined are those that are not. */
export interface UploadFields {
  key: string;
  policy: string;
  signature: string;
  acl?: string | null;
  contentType?: string | null;
  expires?: string | null;
  successActionStatus?: string | null;
}

/**
 * The blob that somebody has the right to upload: one whose latest policy these fields are, in time and not completed.
 * @throws {UploadDeniedError}
 */
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

/** The application whose file an upload will be. @throws {UploadDeniedError} */
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
