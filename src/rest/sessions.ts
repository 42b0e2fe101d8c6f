import { flatten } from '../lib/bracket-keys.ts';
import { isoSeconds } from '../lib/time.ts';
import { errorsByField } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { type Answer, created, empty, ok, route } from './route.ts';

const SessionFields = graphql(`fragment SessionFields on Session {
  id applicationId userId nonce timestamp token createdAt updatedAt
}`);

const CreateSession = graphql(
  `mutation CreateSession($parameters: [SignedParameter!]!) {
    createSession(input: { parameters: $parameters }) { ...SessionFields }
  }`,
  [SessionFields],
);

const FindSession = graphql(`query FindSession { session { ...SessionFields } }`, [SessionFields]);

const DeleteSession = graphql(`mutation DeleteSession { deleteSession }`);

export const sessionRoutes = [
  route({
    method: 'post',
    path: '/session',
    document: CreateSession,
    variables: ({ given }) => ({ parameters: flatten(given).map(([name, value]) => ({ name, value })) }),
    respond: ({ createSession }): Answer => ({ ...created(presentSession(createSession)), opensSession: true }),
    errors: errorsByField,
  }),
  route({
    method: 'get',
    path: '/session',
    document: FindSession,
    variables: () => ({}),
    respond: ({ session }) => ok(presentSession(session)),
    errors: errorsByField,
  }),
  route({
    method: 'delete',
    path: '/session',
    document: DeleteSession,
    variables: () => ({}),
    respond: (): Answer => ({ ...empty(), endsSession: true }),
    errors: errorsByField,
  }),
];

function presentSession(masked: FragmentOf<typeof SessionFields>) {
  const session = readFragment(SessionFields, masked);
  return {
    session: {
      _id: String(session.id),
      application_id: session.applicationId,
      created_at: isoSeconds(session.createdAt),
      id: session.id,
      nonce: session.nonce,
      token: session.token,
      ts: session.timestamp,
      updated_at: isoSeconds(session.updatedAt),
      user_id: session.userId ?? 0,
    },
  };
}
