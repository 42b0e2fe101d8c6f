import {
  ForbiddenError,
  InvalidFieldsError,
  NotFoundError,
  NoUpdateDataError,
  UnprocessableError,
  UsersListingForbiddenError,
} from '../../../lib/errors.ts';
import { geodatumProblems, MAX_STATUS } from '../../../resolvers/geodata/rules.ts';
import { SORTS } from '../../geodata-filters.ts';
import { geodatumShape } from '../../shapes/geodatum.ts';
import { userShape } from '../../shapes/user.ts';
import { argumentsOf, inputOf } from './from-graphql.ts';
import { pageOf, pageParameters } from './lists.ts';
import type { OperationDocs } from './operation-docs.ts';
import { SAMPLES } from './samples.ts';
import {
  closed,
  described,
  flag,
  integer,
  integerId,
  moment,
  oneOfTexts,
  requestObject,
  text,
  together,
} from './schemas.ts';

const shownUser = described(
  { anyOf: [userShape.bareSchema, closed({ id: integerId })] },
  'User of the location; only the `id` if sessions may not list users.',
);
const found = closed({ geo_datum: closed({ ...geodatumShape.bareSchema.properties, user: shownUser }) });

const degrees = (most: number) => ({ type: 'number', minimum: -most, maximum: most });
const parameters = (required: string[]) =>
  requestObject(
    {
      geo_data: described(
        inputOf(
          'GeodatumInput',
          {
            latitude: ['latitude', described(degrees(90), 'Latitude in degrees, -90 to 90.')],
            longitude: ['longitude', described(degrees(180), 'Longitude in degrees, -180 to 180.')],
            status: [
              'status',
              described({ ...text, maxLength: MAX_STATUS }, `Text of the user, up to ${MAX_STATUS} characters.`),
            ],
          },
          required,
        ),
        'The location.',
      ),
    },
    ['geo_data'],
  );
const invalid = new InvalidFieldsError(geodatumProblems({ latitude: 91, longitude: 181 }));
const path = { id: described(integerId, 'Id of the location.') };
const missing = new NotFoundError();
const change = [missing, new ForbiddenError()];

export const geodataDocs = {
  createGeodatum: {
    tag: 'Geodata',
    summary: 'Store a location',
    description: 'Stores a location of the caller.',
    body: parameters(['latitude', 'longitude']),
    status: 201,
    answer: geodatumShape.schema,
    errors: [invalid],
    examples: [{ body: { geo_data: { latitude: 51.5, longitude: -0.12, status: 'At home' } } }],
  },
  listGeodata: {
    tag: 'Geodata',
    summary: 'Find locations',
    description:
      'Returns a page of the locations of users, newest first by default. If the application forbids listing ' +
      'its users, sessions receive users by `id` only, and `user.name` is refused with 403.',
    query: together(
      requestObject({
        created_at: described(moment, `Created at this time. ${moment.description}`),
        min_created_at: described(moment, `Created at this time or later. ${moment.description}`),
        max_created_at: described(moment, `Created at this time or earlier. ${moment.description}`),
        'user.id': described(integerId, 'Of the user with this id.'),
        'user.ids': described(
          { type: ['string', 'array'], items: integer },
          'Of the users with these ids, separated by commas.',
        ),
      }),
      argumentsOf('Query.geodata', {
        'user.name': [
          'userName',
          described(text, 'Of users whose login or full name contains this, letter case ignored.'),
        ],
        'user.external_ids': [
          'externalUserIds',
          described(
            { type: ['string', 'array'], items: integer },
            'Of the users with these ids in an external system, separated by commas.',
          ),
        ],
        geo_rect: described(
          { ...text, examples: ['51.2;-0.6;51.7;0.4'] },
          'Within the rectangle `<lat1>;<lon1>;<lat2>;<lon2>`, given by its south-west and its north-east corner.',
        ),
        current_position: [
          'position',
          described(
            { ...text, examples: ['51.5;-0.12'] },
            'The position `<lat>;<lon>` for `radius` and for the order by `distance`, which require it.',
          ),
        ],
        radius: [
          'radius',
          described({ type: 'number', minimum: 0 }, 'Within this distance of `current_position`, in metres.'),
        ],
        last_only: ['latestOnly', described(flag, '1 returns only the latest location of each user. Default 0.')],
        status: ['withStatus', described(flag, '1 returns only locations with a status. Default 0.')],
      }),
      requestObject({
        sort_by: { ...described(oneOfTexts(Object.keys(SORTS)), 'Field to sort by.'), default: 'created_at' },
        sort_asc: described(flag, '1 sorts in ascending order, 0 in descending order. Default 0.'),
      }),
      pageParameters,
    ),
    answer: pageOf(found),
    errors: [
      new UnprocessableError('Incorrect filter: geo_rect'),
      new UnprocessableError('position is required'),
      new UnprocessableError('per_page should be between 1 and 100'),
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
    tag: 'Geodata',
    summary: 'Get a location',
    description: 'Returns one location.',
    path,
    answer: geodatumShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  updateGeodatum: {
    tag: 'Geodata',
    summary: 'Update a location',
    description:
      'Changes the given fields of a location. Users can change only their own locations, an API key alone any.',
    path,
    body: parameters([]),
    answer: geodatumShape.schema,
    errors: [...change, new NoUpdateDataError(), invalid],
    examples: [{ path: { id: SAMPLES.geodatum }, body: { geo_data: { status: 'At work' } } }],
  },
  deleteGeodatum: {
    tag: 'Geodata',
    summary: 'Delete a location',
    description: 'Deletes a location. Users can delete only their own locations, an API key alone any.',
    path,
    answer: 'nothing',
    errors: change,
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  deleteOldGeodata: {
    tag: 'Geodata',
    summary: 'Delete old locations',
    description:
      'Deletes the locations of the caller that are older than the given number of days. An API key alone ' +
      'deletes those of all users.',
    body: argumentsOf(
      'Mutation.deleteOldGeodata',
      { days: ['days', described({ type: 'integer', minimum: 1 }, 'Minimum age in days, at least 1.')] },
      ['days'],
    ),
    answer: 'nothing',
    errors: [new InvalidFieldsError({ days: ['should be an integer greater then 0'] })],
    examples: [{ body: { days: 30 } }],
  },
} satisfies Record<string, OperationDocs>;
