import { SignInRefusedError, SignInTooOldError, UnprocessableError, WrongPasswordError } from '../../../lib/errors.ts';
import { sessionShape } from '../../shapes/session.ts';
import { userShape } from '../../shapes/user.ts';
import { inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { requestObject, type Schema } from './schemas.ts';

/** How a user says who they are. */
const providers: Record<string, Schema> = {
  keys: inputOf('SessionKeys', { token: 'token', secret: 'secret' }, ['token']),
  firebase_phone: inputOf('SessionFirebasePhone', { project_id: 'projectId', access_token: 'accessToken' }),
};

export const sessionDocs = {
  createSession: {
    tag: 'Sessions',
    summary: 'Open a session',
    description:
      'All parameters but `signature` are signed: as `name=value` with raw values, nested ones with brackets ' +
      '(`user[login]`), sorted by bytes, joined with `&`; HMAC with the secret of the application, in hex.',
    body: inputOf(
      'CreateSessionInput',
      {
        application_id: 'applicationId',
        auth_key: 'authKey',
        nonce: 'nonce',
        timestamp: 'timestamp',
        signature: 'signature',
        user: ['user', inputOf('SessionUser', { login: 'login', email: 'email', password: 'password' })],
        provider: 'provider',
        ...providers,
      },
      ['application_id', 'auth_key', 'nonce', 'timestamp', 'signature'],
    ),
    status: 201,
    answer: sessionShape.schema,
    errors: [
      new UnprocessableError('No application found'),
      new UnprocessableError('Unexpected signature'),
      new UnprocessableError('Bad timestamp'),
      new UnprocessableError('Bad nonce'),
      new SignInRefusedError(),
      new WrongPasswordError(),
    ],
    examples: [
      {
        summary: 'An application session, signed with `secret`',
        body: {
          application_id: 92,
          auth_key: 'AUTHKEY',
          nonce: -577359397,
          timestamp: 1795196819,
          signature: 'c8abc971e2941cadcd1050f5ba646536f8c85a38',
        },
      },
    ],
  },
  findSession: { tag: 'Sessions', summary: 'The session of the token', answer: sessionShape.schema, examples: [{}] },
  deleteSession: { tag: 'Sessions', summary: 'End the session', answer: 'nothing', examples: [{}] },
  loginUser: {
    tag: 'Sessions',
    summary: 'Make the session that of a user',
    description: 'The parameters may also stand under `user`.',
    body: requestObject({
      ...inputOf('LoginUserInput', { login: 'login', email: 'email', password: 'password', provider: 'provider' })
        .properties,
      ...providers,
    }),
    answer: userShape.schema,
    errors: [new WrongPasswordError(), new SignInRefusedError(), new SignInTooOldError()],
    examples: [{ body: { login: 'alice', password: 'correct-horse' } }],
  },
  logoutUser: {
    tag: 'Sessions',
    summary: 'Make the session one of the application again',
    answer: 'nothing',
    examples: [{}],
  },
} satisfies Record<string, OperationDocs>;
