import {
  ForbiddenError,
  InvalidFieldsError,
  NotFoundError,
  NoUpdateDataError,
  UnprocessableError,
  UsersListingForbiddenError,
} from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { geodatumProblems } from '../../../resolvers/geodata/rules.ts';
import { geodatumShape } from '../../shapes/geodatum.ts';
import { userShape } from '../../shapes/user.ts';
import { badPageSize } from './errors.ts';
import { pageOf } from './lists.ts';
import { docsOf } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import { closed, described, integerId } from './schemas.ts';

const shownUser = described(
  { anyOf: [userShape.bareSchema, closed({ id: integerId })] },
  'User of the location; only the `id` if sessions may not list users.',
);
const found = closed({ geo_datum: closed({ ...geodatumShape.bareSchema.properties, user: shownUser }) });

const invalid = new InvalidFieldsError(geodatumProblems({ latitude: 91, longitude: 181 }));
const missing = new NotFoundError();
const change = [missing, new ForbiddenError()];

export const geodataDocs = docsOf('Geodata', {
  createGeodatum: {
    summary: 'Store a location',
    description: 'Stores a location of the caller.',
    status: 201,
    errors: [invalid],
    examples: [{ body: { geo_data: { latitude: 51.5, longitude: -0.12, status: 'At home' } } }],
  },
  listGeodata: {
    summary: 'Find locations',
    description:
      'Returns a page of the locations of users, newest first by default. If the application forbids listing ' +
      'its users, sessions receive users by `id` only, and `user.name` is refused with 403.',
    answer: pageOf(found),
    errors: [
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'geo_rect' })),
      new UnprocessableError('POSITION_REQUIRED'),
      badPageSize,
      new UsersListingForbiddenError(),
    ],
    examples: [
      {
        summary: 'Users nearby',
        query: { current_position: '51.5;-0.12', radius: 1000, last_only: 1, sort_by: 'distance', sort_asc: 1 },
      },
    ],
  },
  findGeodatum: {
    summary: 'Get a location',
    description: 'Returns one location.',
    errors: [missing],
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  updateGeodatum: {
    summary: 'Update a location',
    description:
      'Changes the given fields of a location. Users can change only their own locations, an API key alone any.',
    errors: [...change, new NoUpdateDataError(), invalid],
    examples: [{ path: { id: SAMPLES.geodatum }, body: { geo_data: { status: 'At work' } } }],
  },
  deleteGeodatum: {
    summary: 'Delete a location',
    description: 'Deletes a location. Users can delete only their own locations, an API key alone any.',
    errors: change,
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  deleteOldGeodata: {
    summary: 'Delete old locations',
    description:
      'Deletes the locations of the caller that are older than the given number of days. An API key alone ' +
      'deletes those of all users.',
    errors: [new InvalidFieldsError({ days: ['DAYS_INVALID'] })],
    examples: [{ body: { days: 30 } }],
  },
});
