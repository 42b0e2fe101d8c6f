import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitHub {
  /** Address of the enterprise server. */
  issuer: string;
  /** What the API says about the account. */
  account: { id: number; name: string; emails: { email: string; primary: boolean; verified: boolean }[] };
  /** Replaces the response of the token endpoint. */
  tokenAnswer: ((response: import('node:http').ServerResponse) => void) | undefined;
  stop: () => Promise<void>;
}

/** The endpoints of a GitHub server that an OAuth app uses, with client `app` and secret `github-secret`. */
export async function startGitHub(): Promise<GitHub> {
  const codes = new Map<string, string>();
  const tokens = new Set<string>();
  const own: GitHub = {
    issuer: '',
    account: { id: 7, name: 'Octo Cat', emails: [] },
    tokenAnswer: undefined,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, own.issuer);
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/login/oauth/authorize') {
      const code = randomUUID();
      codes.set(code, url.searchParams.get('code_challenge')!);
      const back = new URL(url.searchParams.get('redirect_uri')!);
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state')! }).toString();
      return response.writeHead(302, { Location: back.href }).end();
    }
    if (url.pathname === '/login/oauth/access_token') {
      if (own.tokenAnswer) return own.tokenAnswer(response);
      const form = new URLSearchParams(await bodyOf(request));
      const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url');
      const isRight = form.get('client_secret') === 'github-secret' && codes.get(form.get('code')!) === challenge;
      codes.delete(form.get('code')!);
      if (!isRight) return json(400, { error: 'bad_verification_code' });
      const token = randomUUID();
      tokens.add(token);
      return json(200, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' });
    }
    if (!tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')) return json(401, {});
    if (url.pathname === '/api/v3/user') return json(200, { id: own.account.id, name: own.account.name });
    return url.pathname === '/api/v3/user/emails' ? json(200, own.account.emails) : json(404, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  own.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return own;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
