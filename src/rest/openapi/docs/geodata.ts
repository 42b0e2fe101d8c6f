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
import { argumentsOf, asked, shown } from './from-graphql.ts';
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
  named,
  asked as objectAsked,
  oneOfTexts,
  text,
  together,
  unixTime,
} from './schemas.ts';
import { user } from './users.ts';

const place = named(
  'Geodatum',
  shown('Geodatum', {
    id: 'id',
    application_id: 'applicationId',
    user_id: 'userId',
    latitude: 'latitude',
    longitude: 'longitude',
    status: 'status',
    created_at: 'createdAt',
    created_at_timestamp: unixTime,
    updated_at: 'updatedAt',
  }),
);
const geodatum = closed({ geo_datum: place });
/** Where sessions may not list users, the user is shown by the id alone. */
const shownUser = { anyOf: [user.properties.user!, closed({ id: integerId })] };
const found = closed({ geo_datum: closed({ ...place.properties, user: shownUser }) });

const degrees = (most: number) => ({ type: 'number', minimum: -most, maximum: most });
const given = (required: string[]) =>
  objectAsked(
    {
      geo_data: asked(
        'GeodatumInput',
        {
          latitude: ['latitude', degrees(90)],
          longitude: ['longitude', degrees(180)],
          status: ['status', { ...text, maxLength: MAX_STATUS }],
        },
        required,
      ),
    },
    ['geo_data'],
  );
const invalid = new InvalidFieldsError(geodatumProblems({ latitude: 91, longitude: 181 }));
const path = { id: integerId };
const missing = new NotFoundError();
const change = [missing, new ForbiddenError()];

export const geodataDocs = {
  createGeodatum: {
    tag: 'Geodata',
    summary: 'Store where the caller is',
    body: given(['latitude', 'longitude']),
    status: 201,
    answer: geodatum,
    errors: [invalid],
    examples: [{ body: { geo_data: { latitude: 51.5, longitude: -0.12, status: 'At home' } } }],
  },
  listGeodata: {
    tag: 'Geodata',
    summary: 'Where users have been',
    query: together(
      objectAsked({
        created_at: moment,
        min_created_at: moment,
        max_created_at: moment,
        'user.id': integerId,
        'user.ids': described({ type: ['string', 'array'], items: integer }, 'With commas between them.'),
      }),
      argumentsOf('Query.geodata', {
        'user.name': 'userName',
        'user.external_ids': ['externalUserIds', { type: ['string', 'array'], items: integer }],
        geo_rect: described(text, '`<lat1>;<lon1>;<lat2>;<lon2>`, two opposite corners.'),
        current_position: ['position', { ...text, examples: ['51.5;-0.12'] }],
        radius: ['radius', { type: 'number', minimum: 0 }],
        last_only: 'latestOnly',
        status: 'withStatus',
      }),
      objectAsked({
        sort_by: oneOfTexts(Object.keys(SORTS)),
        sort_asc: described(flag, 'The smallest first; default: the largest.'),
      }),
      pageParameters,
    ),
    answer: pageOf(found),
    errors: [
      new UnprocessableError('Incorrect filter: geo_rect'),
      new UnprocessableError('current_position is required'),
      new UnprocessableError('per_page should be between 1 and 100'),
      new UsersListingForbiddenError(),
    ],
    examples: [
      {
        summary: 'Who is near',
        query: { current_position: '51.5;-0.12', radius: 1000, last_only: 1, sort_by: 'distance', sort_asc: 1 },
      },
    ],
  },
  findGeodatum: {
    tag: 'Geodata',
    summary: 'A place',
    path,
    answer: geodatum,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  updateGeodatum: {
    tag: 'Geodata',
    summary: 'Change a place',
    path,
    body: given([]),
    answer: geodatum,
    errors: [...change, new NoUpdateDataError(), invalid],
    examples: [{ path: { id: SAMPLES.geodatum }, body: { geo_data: { status: 'At work' } } }],
  },
  deleteGeodatum: {
    tag: 'Geodata',
    summary: 'Delete a place',
    path,
    answer: 'nothing',
    errors: change,
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  deleteOldGeodata: {
    tag: 'Geodata',
    summary: 'Delete old places',
    body: argumentsOf('Mutation.deleteOldGeodata', { days: ['days', { type: 'integer', minimum: 1 }] }, ['days']),
    answer: 'nothing',
    errors: [new InvalidFieldsError({ days: ['should be an integer greater then 0'] })],
    examples: [{ body: { days: 30 } }],
  },
} satisfies Record<string, OperationDocs>;
