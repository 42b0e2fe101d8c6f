import type { Access } from '../../lib/access.ts';
import type { Route } from '../http/route.ts';
import type { Rules } from '../operations.ts';

type Requirement = Record<string, string[]>;

export function securitySchemes(tokenHeaders: readonly string[]): Record<string, object> {
  const tokens = tokenHeaders.map((name, index) => [
    tokenScheme(index),
    { type: 'apiKey', in: 'header', name, description: 'Session token, from `POST /session`.' },
  ]);
  return {
    ...Object.fromEntries(tokens),
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      description: '`ApiKey <key>`. Cannot be combined with a session token.',
    },
    onBehalfOf: {
      type: 'apiKey',
      in: 'header',
      name: 'On-Behalf-Of',
      description: 'Id of the user on whose behalf an API key acts. Requires an API key.',
    },
    tokenParameter: {
      type: 'apiKey',
      in: 'query',
      name: 'token',
      description: 'Session token, for downloads and `.xml` paths. A header takes precedence.',
    },
  };
}

export function securityOf(
  { download }: Pick<Route, 'download'>,
  { access }: Rules,
  tokenHeaders: readonly string[],
): Requirement[] {
  const tokens = tokenHeaders.map((_name, index) => ({ [tokenScheme(index)]: [] }));
  const known = [...tokens, ...KEYS[access]];
  if (!download) return access === 'anyone' ? [] : access === 'key' ? KEYS.key : known;
  const forAll = access === 'anyone' ? [{}] : [];
  return [...forAll, ...tokens, ...KEYS.session, { tokenParameter: [] }];
}

const alone: Requirement = { apiKey: [] };
const asUser: Requirement = { apiKey: [], onBehalfOf: [] };

const KEYS: Record<Access, Requirement[]> = {
  anyone: [],
  session: [alone, asUser],
  token: [],
  userToken: [],
  user: [asUser],
  userOrKey: [alone, asUser],
  key: [alone],
  administrator: [],
};

function tokenScheme(index: number): string {
  return index === 0 ? 'sessionToken' : `sessionToken${index + 1}`;
}
