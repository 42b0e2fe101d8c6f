import { isObject, type Parameters } from '../lib/bracket-keys.ts';
import { type Given, readInteger, readNumber, readText } from '../lib/parameter-values.ts';
import { isoSeconds, unixSeconds } from '../lib/time.ts';
import { errorsByField } from './errors.ts';
import { readGeodataFilters } from './geodata-filters.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { readIntegerId } from './http/integer-ids.ts';
import { itemsBefore, readPage } from './http/pagination.ts';
import { created, empty, ok, route } from './http/route.ts';
import { geodataDocs } from './openapi/docs/geodata.ts';
import { presentUser, UserFields } from './user-fields.ts';

const GeodatumFields = graphql(`fragment GeodatumFields on Geodatum {
  id applicationId userId latitude longitude status createdAt updatedAt
}`);

const CreateGeodatum = graphql(
  `mutation CreateGeodatum($input: GeodatumInput!) { createGeodatum(input: $input) { ...GeodatumFields } }`,
  [GeodatumFields],
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
  [GeodatumFields, UserFields],
);

const FindGeodatum = graphql(`query FindGeodatum($id: Int!) { geodatum(id: $id) { ...GeodatumFields } }`, [
  GeodatumFields,
]);

const UpdateGeodatum = graphql(
  `mutation UpdateGeodatum($id: Int!, $input: GeodatumInput!) {
    updateGeodatum(id: $id, input: $input) { ...GeodatumFields }
  }`,
  [GeodatumFields],
);

const DeleteGeodatum = graphql(`mutation DeleteGeodatum($id: Int!) { deleteGeodatum(id: $id) }`);

const DeleteOldGeodata = graphql(`mutation DeleteOldGeodata($days: Int) { deleteOldGeodata(days: $days) }`);

export const geodataRoutes = [
  route({
    method: 'post',
    path: '/geodata',
    document: CreateGeodatum,
    variables: ({ given }) => ({ input: geodatumInput(given) }),
    respond: ({ createGeodatum }) => created({ geo_datum: presentGeodatum(createGeodatum) }),
    errors: errorsByField,
    docs: geodataDocs.createGeodatum,
  }),
  route({
    method: 'get',
    path: '/geodata/find',
    xml: 'geo-data',
    document: ListGeodata,
    variables: ({ given }) => {
      const page = readPage(given);
      return { ...readGeodataFilters(given), first: page.perPage, skip: itemsBefore(page) };
    },
    respond: ({ geodata: { totalCount, edges } }, { given }) => {
      const { page, perPage } = readPage(given);
      const items = edges?.flatMap((edge) => (edge ? [presentFound(edge.node, edge.node.user)] : [])) ?? [];
      return ok({ current_page: page, per_page: perPage, total_entries: totalCount, items });
    },
    errors: errorsByField,
    docs: geodataDocs.listGeodata,
  }),
  route({
    method: 'get',
    path: '/geodata/:id',
    document: FindGeodatum,
    variables: ({ path }) => ({ id: readIntegerId(path.id!) }),
    respond: ({ geodatum }) => ok({ geo_datum: presentGeodatum(geodatum) }),
    errors: errorsByField,
    docs: geodataDocs.findGeodatum,
  }),
  route({
    method: 'put',
    path: '/geodata/:id',
    document: UpdateGeodatum,
    variables: ({ path, given }) => ({ id: readIntegerId(path.id!), input: geodatumInput(given) }),
    respond: ({ updateGeodatum }) => ok({ geo_datum: presentGeodatum(updateGeodatum) }),
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
    variables: ({ given }) => ({ days: daysOf(given.days) }),
    respond: empty,
    errors: errorsByField,
    docs: geodataDocs.deleteOldGeodata,
  }),
];

function geodatumInput({ geo_data }: Parameters) {
  const { latitude, longitude, status }: Parameters = isObject(geo_data) ? geo_data : {};
  return { latitude: degrees(latitude), longitude: degrees(longitude), status: readText(status) };
}

/** What was given but is no number is none: null. */
function degrees(value: Given): number | null | undefined {
  return value === undefined ? undefined : (readNumber(value) ?? null);
}

/** More days than GraphQL can count are as good as all it can. */
function daysOf(value: Given): number | undefined {
  const days = readInteger(value);
  return days === undefined ? undefined : Math.min(Math.max(days, 0), 2_147_483_647);
}

function presentGeodatum(masked: FragmentOf<typeof GeodatumFields>) {
  const geodatum = readFragment(GeodatumFields, masked);
  return {
    id: geodatum.id,
    application_id: geodatum.applicationId,
    user_id: geodatum.userId,
    latitude: geodatum.latitude,
    longitude: geodatum.longitude,
    status: geodatum.status,
    created_at: isoSeconds(geodatum.createdAt),
    created_at_timestamp: unixSeconds(geodatum.createdAt),
    updated_at: isoSeconds(geodatum.updatedAt),
  };
}

/** Users whom the caller may not list are shown by their id alone. */
function presentFound(geodatum: FragmentOf<typeof GeodatumFields>, user: FragmentOf<typeof UserFields> | null) {
  const shown = presentGeodatum(geodatum);
  return { geo_datum: { ...shown, ...(user ? presentUser(user) : { user: { id: shown.user_id } }) } };
}
