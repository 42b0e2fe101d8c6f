import { unixSeconds } from '../../lib/time.ts';
import { graphql } from '../graphql.ts';
import { described, unixTime } from '../openapi/docs/schemas.ts';
import { computed, shape } from './shape.ts';

export const geodatumShape = shape(
  'Geodatum',
  {
    id: 'id',
    application_id: 'applicationId',
    user_id: 'userId',
    latitude: 'latitude',
    longitude: 'longitude',
    status: 'status',
    created_at: 'createdAt',
    created_at_timestamp: computed(
      graphql(`fragment CreatedAt on Geodatum { createdAt }`),
      described(unixTime, 'Time of creation. Unix time in seconds.'),
      ({ createdAt }) => unixSeconds(createdAt),
    ),
    updated_at: 'updatedAt',
  },
  { wrapper: 'geo_datum' },
);
