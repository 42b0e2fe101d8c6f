import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';

export interface GooglePush {
  path: string;
  authorization: string;
  body: { message: Record<string, unknown> & { token: string } };
}

export interface GoogleAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Google {
  url: string;
  serviceAccount: Record<string, string>;
  pushes: GooglePush[];
  tokens: string[];
  answer: (push: GooglePush) => GoogleAnswer;
  /** The response of the token endpoint instead of a token. */
  refusal: GoogleAnswer | undefined;
  stop: () => Promise<unknown>;
}

/** Starts the HTTP v1 API of FCM, and a token endpoint that verifies the assertion. */
export async function startGoogle(now: () => Date): Promise<Google> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const { status, body, headers } = request.url === '/token' ? await access(text) : push(request, text);
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const access = async (form: string): Promise<GoogleAnswer> => {
    if (google.refusal) return google.refusal;
    const parameters = new URLSearchParams(form);
    const { payload } = await jwtVerify(parameters.get('assertion')!, pair.publicKey, {
      issuer: 'pusher@project-1.example.org',
      audience: `${url}/token`,
      currentDate: now(),
    });
    const isRight =
      payload.scope === 'https://www.googleapis.com/auth/firebase.messaging' &&
      parameters.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!isRight) return { status: 400, body: { error: 'invalid_grant' } };
    const token = `access-${google.tokens.length + 1}`;
    google.tokens.push(token);
    return { status: 200, body: { access_token: token, expires_in: 3600, token_type: 'Bearer' } };
  };
  const push = ({ url: path, headers: { authorization } }: IncomingMessage, text: string): GoogleAnswer => {
    const given = { path: path!, authorization: authorization!, body: JSON.parse(text) };
    google.pushes.push(given);
    return google.answer(given);
  };

  const google: Google = {
    url,
    serviceAccount: {
      type: 'service_account',
      project_id: 'project-1',
      client_email: 'pusher@project-1.example.org',
      private_key: await exportPKCS8(pair.privateKey),
      private_key_id: 'k1',
      token_uri: `${url}/token`,
    },
    pushes: [],
    tokens: [],
    answer: () => ({ status: 200, body: { name: 'projects/project-1/messages/1' } }),
    refusal: undefined,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return google;
}

export async function textOf(request: IncomingMessage): Promise<string> {
  return (await bytesOf(request)).toString('utf8');
}

export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
