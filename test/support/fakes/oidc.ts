import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export interface Oidc {
  issuer: string;
  clientId: string;
  /** Signs in a person and returns the ID token of the provider. */
  idToken: (login: string, nonce: string) => Promise<string>;
  stop: () => Promise<void>;
}

const REDIRECT = 'https://app.example.org/callback';

/** A real OpenID provider whose login page accepts every name. */
export async function startOidc(
  claims: (login: string) => Record<string, unknown>,
  redirectUris: string[] = [],
): Promise<Oidc> {
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pair = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'app',
        redirect_uris: [REDIRECT],
        response_types: ['id_token'],
        grant_types: ['implicit'],
        token_endpoint_auth_method: 'none',
      },
      {
        client_id: 'web',
        client_secret: 'web-secret',
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    responseTypes: ['id_token', 'code'],
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    jwks: { keys: [{ ...(await exportJWK(pair.privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['test'] },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...claims(id) }) }),
    features: { devInteractions: { enabled: true } },
  });
  const handle = provider.callback();
  return {
    issuer,
    clientId: 'app',
    idToken: async (login, nonce) => signInAt(issuer, login, nonce),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A browser that keeps the cookies of all sites and follows no redirects. */
export function cookieBrowser() {
  const cookies = new Map<string, Map<string, string>>();
  return async (address: string, form?: Record<string, string>) => {
    const jar = cookies.get(new URL(address).host) ?? new Map<string, string>();
    cookies.set(new URL(address).host, jar);
    const response = await fetch(address, {
      redirect: 'manual',
      method: form ? 'POST' : 'GET',
      headers: { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  };
}

export type Visit = ReturnType<typeof cookieBrowser>;

/** Follows redirects and the forms of the provider until an address that `isEnd`. */
export async function followAs(
  login: string,
  visit: Visit,
  start: string,
  isEnd: (address: URL) => boolean,
): Promise<URL> {
  let address = start;
  let response = await visit(start);
  for (let step = 0; step < 15; step++) {
    const target = response.headers.get('location');
    if (target) {
      const next = new URL(target, address);
      if (isEnd(next)) return next;
      address = next.href;
      response = await visit(address);
      continue;
    }
    const page = await response.text();
    const action = /action="([^"]+)"/.exec(page)?.[1];
    if (!action) throw new Error(`no form: ${response.status} ${page.slice(0, 300)}`);
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login';
    address = new URL(action, address).href;
    response = await visit(address, { prompt, login, password: 'x' });
  }
  throw new Error('too many steps');
}

/** Follows the pages of the provider as a browser does. */
async function signInAt(issuer: string, login: string, nonce: string): Promise<string> {
  const start = new URL(`${issuer}/auth`);
  start.search = new URLSearchParams({
    client_id: 'app',
    redirect_uri: REDIRECT,
    response_type: 'id_token',
    scope: 'openid email profile',
    nonce,
    state: 's',
  }).toString();
  const end = await followAs(login, cookieBrowser(), start.href, ({ hash }) => hash !== '');
  const token = new URLSearchParams(end.hash.slice(1)).get('id_token');
  if (!token) throw new Error(`the provider refused: ${end.hash}`);
  return token;
}

export interface OwnIssuer {
  issuer: string;
  keysUrl: string;
  /** Of the key set: 0 for a working one. */
  answer: { status: number; body?: string; delayMs?: number };
  /** How often the key set was read. */
  reads: () => number;
  sign: (payload: JWTPayload, options?: { alg?: string; kid?: string; expiresIn?: string }) => Promise<string>;
  /** Replaces the key. */
  rotate: (kid: string) => Promise<void>;
  publicKey: () => CryptoKey;
  stop: () => Promise<void>;
}

/** A backend of one's own that signs tokens. */
export async function startIssuer(now: () => Date): Promise<OwnIssuer> {
  let pair = await generateKeyPair('ES256', { extractable: true });
  let current = 'first';
  let reads = 0;
  const server = createServer(async (_request, response) => {
    reads += 1;
    const { status, body } = own.answer;
    if (body !== undefined || status !== 200) return response.writeHead(status).end(body ?? '');
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: current, use: 'sig', alg: 'ES256' }];
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own: OwnIssuer = {
    issuer: `${url}/mine`,
    keysUrl: `${url}/keys`,
    answer: { status: 200 },
    reads: () => reads,
    publicKey: () => pair.publicKey,
    sign: (payload, { kid = current, expiresIn = '5m' } = {}) =>
      new SignJWT({ iss: own.issuer, aud: 'my-app', ...payload })
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuedAt(payload.iat ?? Math.floor(now().getTime() / 1000))
        .setExpirationTime(payload.exp ?? new Date(now().getTime() + (expiresIn === '5m' ? 300_000 : 0)))
        .sign(pair.privateKey),
    rotate: async (kid) => {
      pair = await generateKeyPair('ES256', { extractable: true });
      current = kid;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return own;
}
