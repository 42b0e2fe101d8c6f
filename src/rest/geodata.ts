import { isObject, type Parameters } from '../lib/bracket-keys.ts';
import { type ParameterInput, readInteger, readNumber, readText } from '../lib/parameter-values.ts';
import { errorsByField } from './errors.ts';
import { readGeodataFilters } from './geodata-filters.ts';
import { type FragmentOf, graphql } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { pageWindow, presentPage } from './http/pagination.ts';
import { created, empty, ok, route } from './http/route.ts';
import { geodataDocs } from './openapi/docs/geodata.ts';
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

export const geodataRoutes = [
  route({
    method: 'post',
    path: '/geodata',
    document: CreateGeodatum,
    variables: ({ parameters }) => ({ input: geodatumInput(parameters) }),
    respond: ({ createGeodatum }) => created(geodatumShape.present(createGeodatum)),
    errors: errorsByField,
    docs: geodataDocs.createGeodatum,
  }),
  route({
    method: 'get',
    path: '/geodata/find',
    xml: 'geo-data',
    document: ListGeodata,
    variables: ({ parameters }) => ({ ...readGeodataFilters(parameters), ...pageWindow(parameters) }),
    respond: ({ geodata }, { parameters }) => ok(presentPage(geodata, parameters, presentFound)),
    errors: errorsByField,
    docs: geodataDocs.listGeodata,
  }),
  route({
    method: 'get',
    path: '/geodata/:id',
    document: FindGeodatum,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ geodatum }) => ok(geodatumShape.present(geodatum)),
    errors: errorsByField,
    docs: geodataDocs.findGeodatum,
  }),
  route({
    method: 'put',
    path: '/geodata/:id',
    document: UpdateGeodatum,
    variables: ({ path, parameters }) => ({ id: readIntegerId(path.id!), input: geodatumInput(parameters) }),
    respond: ({ updateGeodatum }) => ok(geodatumShape.present(updateGeodatum)),
    errors: errorsByField,
    docs: geodataDocs.updateGeodatum,
  }),
  route({
    method: 'delete',
    path: '/geodata/:id',
    document: DeleteGeodatum,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: empty,
    errors: errorsByField,
    docs: geodataDocs.deleteGeodatum,
  }),
  route({
    method: 'delete',
    path: '/geodata',
    document: DeleteOldGeodata,
    variables: ({ parameters }) => ({ days: daysOf(parameters.days) }),
    respond: empty,
    errors: errorsByField,
    docs: geodataDocs.deleteOldGeodata,
  }),
];

function geodatumInput({ geo_data }: Parameters) {
  const { latitude, longitude, status }: Parameters = isObject(geo_data) ? geo_data : {};
  return { latitude: degrees(latitude), longitude: degrees(longitude), status: readText(status) };
}

function degrees(value: ParameterInput): number | null | undefined {
  return value === undefined ? undefined : (readNumber(value) ?? null);
}

function daysOf(value: ParameterInput): number | undefined {
  const days = readInteger(value);
  return days === undefined ? undefined : Math.min(Math.max(days, 0), 2_147_483_647);
}

type FoundGeodatum = FragmentOf<typeof geodatumShape> & { user: FragmentOf<typeof userShape> | null };

function presentFound(found: FoundGeodatum) {
  const geodatum = geodatumShape.presentBare(found);
  const user = found.user ? userShape.presentBare(found.user) : { id: geodatum.user_id };
  return { geo_datum: { ...geodatum, user } };
}
