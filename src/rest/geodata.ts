import { readInteger, readNumber } from '../lib/casts.ts';
import { MAX_STATUS } from '../resolvers/geodata/rules.ts';
import { errorsByField } from './errors.ts';
import { locationFilters } from './geodata-filters.ts';
import { type FragmentOf, graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { geodataDocs } from './openapi/docs/geodata.ts';
import { page, presentPage } from './parameters/pages.ts';
import { integerId, reader, refusedAs, text } from './parameters/readers.ts';
import { asInput, limited, parameters, required, together, wrapped } from './parameters/table.ts';
import { geodatumShape } from './shapes/geodatum.ts';
import { userShape } from './shapes/user.ts';

const CreateGeodatum = graphql(
  `mutation CreateGeodatum($input: GeodatumInput!) { createGeodatum(input: $input) { ...GeodatumFields } }`,
  [geodatumShape],
);

const ListGeodata = graphql(
  `query ListGeodata(
    $filter: GeodatumFilter, $userName: String, $externalUserIds: [SafeInt!], $within: RectangleInput,
    $position: PositionInput, $radius: Float, $latestOnly: Boolean, $withStatus: Boolean, $orderBy: GeodatumOrder,
    $first: Int!, $skip: Int!
  ) {
    geodata(
      filter: $filter, userName: $userName, externalUserIds: $externalUserIds, within: $within, position: $position,
      radius: $radius, latestOnly: $latestOnly, withStatus: $withStatus, orderBy: $orderBy, first: $first, skip: $skip
    ) {
      totalCount
      edges { node { ...GeodatumFields user { ...UserFields } } }
    }
  }`,
  [geodatumShape, userShape],
);

const FindGeodatum = graphql(`query FindGeodatum($id: Int!) { geodatum(id: $id) { ...GeodatumFields } }`, [
  geodatumShape,
]);

const UpdateGeodatum = graphql(
  `mutation UpdateGeodatum($id: Int!, $input: GeodatumInput!) {
    updateGeodatum(id: $id, input: $input) { ...GeodatumFields }
  }`,
  [geodatumShape],
);

const DeleteGeodatum = graphql(`mutation DeleteGeodatum($id: Int!) { deleteGeodatum(id: $id) }`);

const DeleteOldGeodata = graphql(`mutation DeleteOldGeodata($days: Int) { deleteOldGeodata(days: $days) }`);

const LOCATION_ID = 'Id of the location.';

const degrees = (most: number) =>
  refusedAs(
    reader({ type: 'number', minimum: -most, maximum: most }, (value) =>
      value === undefined ? undefined : (readNumber(value) ?? null),
    ),
    ['NOT_A_NUMBER'],
  );

function location({ isNew }: { isNew: boolean }) {
  const coordinate = (most: number) => (isNew ? required(degrees(most)) : degrees(most));
  return wrapped(
    'geo_data',
    parameters('GeodatumInput', {
      latitude: ['latitude', coordinate(90), 'Latitude in degrees, -90 to 90.'],
      longitude: ['longitude', coordinate(180), 'Longitude in degrees, -180 to 180.'],
      status: ['status', limited(text, { maxLength: MAX_STATUS }), `Text of the user, up to ${MAX_STATUS} characters.`],
    }),
    'The location.',
  );
}

const days = refusedAs(
  reader({ type: 'integer', minimum: 1 }, (value) => {
    const days = readInteger(value);
    return days === undefined ? undefined : Math.min(Math.max(days, 0), 2_147_483_647);
  }),
  ['DAYS_INVALID'],
);

export const geodataRoutes = [
  route({
    method: 'post',
    path: '/geodata',
    document: CreateGeodatum,
    parameters: asInput(location({ isNew: true })),
    shape: geodatumShape,
    errors: errorsByField,
    docs: geodataDocs.createGeodatum,
  }),
  route({
    method: 'get',
    path: '/geodata/find',
    xml: 'geo-data',
    document: ListGeodata,
    parameters: together(locationFilters, page),
    present: ({ geodata }, { parameters }) => presentPage(geodata, parameters, presentFound),
    errors: errorsByField,
    docs: geodataDocs.listGeodata,
  }),
  route({
    method: 'get',
    path: '/geodata/:id',
    document: FindGeodatum,
    inPath: { id: ['id', integerId, LOCATION_ID] },
    shape: geodatumShape,
    errors: errorsByField,
    docs: geodataDocs.findGeodatum,
  }),
  route({
    method: 'put',
    path: '/geodata/:id',
    document: UpdateGeodatum,
    inPath: { id: ['id', integerId, LOCATION_ID] },
    parameters: asInput(location({ isNew: false })),
    shape: geodatumShape,
    errors: errorsByField,
    docs: geodataDocs.updateGeodatum,
  }),
  route({
    method: 'delete',
    path: '/geodata/:id',
    document: DeleteGeodatum,
    inPath: { id: ['id', integerId, LOCATION_ID] },
    errors: errorsByField,
    docs: geodataDocs.deleteGeodatum,
  }),
  route({
    method: 'delete',
    path: '/geodata',
    document: DeleteOldGeodata,
    parameters: parameters('Mutation.deleteOldGeodata', {
      days: ['days', required(days), 'Minimum age in days, at least 1.'],
    }),
    errors: errorsByField,
    docs: geodataDocs.deleteOldGeodata,
  }),
];

type FoundGeodatum = FragmentOf<typeof geodatumShape> & { user: FragmentOf<typeof userShape> | null };

function presentFound(found: FoundGeodatum) {
  const geodatum = geodatumShape.presentBare(found);
  const user = found.user ? userShape.presentBare(found.user) : { id: geodatum.user_id };
  return { geo_datum: { ...geodatum, user } };
}
