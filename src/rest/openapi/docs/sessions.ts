import {
  CodeRequiredError,
  DisabledError,
  SignInRefusedError,
  SignInTooOldError,
  UnauthenticatedError,
  UnprocessableError,
  WrongPasswordError,
} from '../../../lib/errors.ts';
import { sessionShape } from '../../shapes/session.ts';
import { docsOf } from './operation-docs.ts';

const secondFactorNeeded = new CodeRequiredError({
  challenge: {
    token: '0000005c14ffa99b1cc5f2078041b0fbb910dddf',
    expiresAt: '2026-11-20T17:52:30.000Z',
    methods: ['TOTP', 'RECOVERY_CODE'],
    passkeyOptions: null,
  },
});

const notSigned = [
  new UnprocessableError('NO_APPLICATION'),
  new UnprocessableError('SIGNATURE_WRONG'),
  new UnprocessableError('TIMESTAMP_WRONG'),
  new UnprocessableError('NONCE_WRONG'),
];

export const sessionDocs = docsOf('Sessions', {
  createSession: {
    summary: 'Create a session',
    description:
      'Opens an application session, or a user session if the request has `user` or `provider`. The request ' +
      'must be signed. To sign it, write every parameter of query and body except `signature` as `name=value` ' +
      'with its raw value, and nested names with brackets, such as `user[login]`. Sort the pairs by bytes and ' +
      'join them with `&`. The signature is the HMAC of this text with the secret of the application, in ' +
      'lower-case hex. The hash is SHA-1, or SHA-256 if the application is configured so. A wrong login or ' +
      'password is answered with 401 and no body. Limited to 30 requests per minute and client address.',
    status: 201,
    answer: sessionShape.schema,
    errors: [
      ...notSigned,
      new SignInRefusedError(),
      new WrongPasswordError(),
      secondFactorNeeded,
      new UnauthenticatedError('SIGN_IN_CODE_WRONG'),
    ],
    examples: [
      {
        summary: 'Application session, signed with the secret `secret`',
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
  createGuestSession: {
    summary: 'Create a session of a guest',
    description:
      'Creates a user without credentials, and a session of this user, from the same signed request as ' +
      '`createSession`. With a password or another way to sign in, the guest becomes a user like others and keeps ' +
      'all data. Guests are deleted after the application setting `guestDays`; without it, the response is 405.',
    status: 201,
    answer: sessionShape.schema,
    errors: [...notSigned, new DisabledError('GUESTS_OFF')],
    examples: [
      {
        body: {
          application_id: 92,
          auth_key: 'AUTHKEY',
          nonce: 577359397,
          timestamp: 1795196819,
          signature: '735a854aeabc1649c0e47c88ab078dbda919ad80',
        },
      },
    ],
  },
  findSession: {
    summary: 'Get the current session',
    description: 'Returns the session of the token.',
    examples: [{}],
  },
  deleteSession: {
    summary: 'End the current session',
    description:
      'Ends the session of the token and closes the sockets that were opened with it. The token is invalid from ' +
      'then on.',
    answer: 'nothing',
    examples: [{}],
  },
  loginUser: {
    summary: 'Log a user in',
    description:
      'Turns the session of the token into a session of the given user; the token stays the same. Send `login` ' +
      'or `email` with `password`, or `provider` with its fields, at the top level or under `user`. Sockets ' +
      'opened with the token before are closed. A wrong login or password is answered with 401 and no body. If ' +
      'the session already has a user, a phone or provider account that no user has proven is attached to this ' +
      'user. If the application has strict credential changes, this requires a sign-in of the last 10 minutes, ' +
      'else the response is 403. Limited to 30 requests per minute and client address.',
    errors: [
      ...[new WrongPasswordError(), new SignInRefusedError(), new SignInTooOldError(), secondFactorNeeded],
      new UnauthenticatedError('SIGN_IN_CODE_WRONG'),
    ],
    examples: [{ body: { login: 'alice', password: 'correct-horse' } }],
  },
  logoutUser: {
    summary: 'Log the user out',
    description:
      'Turns the session of the token back into an application session and closes the sockets of the user that ' +
      'were opened with it. On an application session it changes nothing.',
    examples: [{}],
  },
});
