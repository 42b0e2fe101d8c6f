import { isSignedBy, sign } from '../../lib/signature.ts';

export interface UploadPolicy {
  key: string;
  acl: 'public-read' | 'authenticated-read';
  'Content-Type': string;
  Expires: string;
  success_action_status: '201';
}

export function signedFields(policy: UploadPolicy, signingKey: string): Record<string, string> {
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64url');
  return {
    'Content-Type': policy['Content-Type'],
    Expires: policy.Expires,
    acl: policy.acl,
    key: policy.key,
    policy: encoded,
    success_action_status: policy.success_action_status,
    signature: signatureOf(encoded, signingKey),
  };
}

export function isSignedPolicy(fields: Record<string, string | undefined>, signingKey: string): boolean {
  const { policy = '', signature = '' } = fields;
  if (!isSignedBy(signature, [['policy', policy]], signingKey, 'sha256')) return false;
  const signed = JSON.parse(Buffer.from(policy, 'base64url').toString()) as UploadPolicy;
  return Object.entries(signed).every(([name, value]) => fields[name] === undefined || fields[name] === value);
}

function signatureOf(encoded: string, signingKey: string): string {
  return sign([['policy', encoded]], signingKey, 'sha256');
}
