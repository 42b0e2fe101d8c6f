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

/** Where sessions may not list users, the user is shown by the id alone. */
const shownUser = { anyOf: [userShape.bareSchema, closed({ id: integerId })] };
const found = closed({ geo_datum: closed({ ...geodatumShape.bareSchema.properties, user: shownUser }) });

const degrees = (most: number) => ({ type: 'number', minimum: -most, maximum: most });
const parameters = (required: string[]) =>
  requestObject(
    {
      geo_data: inputOf(
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
    body: parameters(['latitude', 'longitude']),
    status: 201,
    answer: geodatumShape.schema,
    errors: [invalid],
    examples: [{ body: { geo_data: { latitude: 51.5, longitude: -0.12, status: 'At home' } } }],
  },
  listGeodata: {
    tag: 'Geodata',
    summary: 'Where users have been',
    query: together(
      requestObject({
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
      requestObject({
        sort_by: oneOfTexts(Object.keys(SORTS)),
        sort_asc: described(flag, 'The smallest first; default: the largest.'),
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
        summary: 'Who is near',
        query: { current_position: '51.5;-0.12', radius: 1000, last_only: 1, sort_by: 'distance', sort_asc: 1 },
      },
    ],
  },
  findGeodatum: {
    tag: 'Geodata',
    summary: 'A place',
    path,
    answer: geodatumShape.schema,
    errors: [missing],
    examples: [{ path: { id: SAMPLES.geodatum } }],
  },
  updateGeodatum: {
    tag: 'Geodata',
    summary: 'Change a place',
    path,
    body: parameters([]),
    answer: geodatumShape.schema,
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
