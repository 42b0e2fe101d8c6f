import { graphql } from '../graphql.ts';
import { described, integer, text } from '../openapi/docs/schemas.ts';
import { computed, shape } from './shape.ts';

export const sessionShape = shape(
  'Session',
  {
    _id: computed(graphql(`fragment Id on Session { id }`), described(text, 'The same id as text.'), ({ id }) =>
      String(id),
    ),
    application_id: 'applicationId',
    created_at: 'createdAt',
    id: 'id',
    nonce: 'nonce',
    token: ['token', { type: 'string', pattern: '^[0-9a-f]{40}$' }],
    ts: 'timestamp',
    updated_at: 'updatedAt',
    user_id: computed(
      graphql(`fragment UserId on Session { userId }`),
      described(integer, 'Id of the user; 0 for an application session.'),
      ({ userId }) => userId ?? 0,
    ),
  },
  { wrapper: 'session' },
);
