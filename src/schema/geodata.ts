import { createGeodatum } from '../resolvers/geodata/create.ts';
import { deleteGeodatum, deleteOldGeodata } from '../resolvers/geodata/delete.ts';
import { findGeodatum } from '../resolvers/geodata/find.ts';
import { listGeodata } from '../resolvers/geodata/list.ts';
import { updateGeodatum } from '../resolvers/geodata/update.ts';
import { maySeeListed } from '../resolvers/users/listing.ts';
import { userLoader } from '../resolvers/users/loader.ts';
import { builder } from './builder.ts';
import { AND, APPLICATION_ID, CREATED_AT, DIRECTION, FILTER, OR, ORDER, UNLISTED, UPDATED_AT } from './descriptions.ts';
import { DateTimeFilter, SafeIntFilter } from './filters.ts';
import { metered } from './metered.ts';
import { SortDirection } from './scalars.ts';
import './users.ts';

const Geodatum = builder.prismaObject('Geodatum', {
  description: 'A place where a user has been; whoever holds a session of the application may read it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'By which it is changed and deleted.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    userId: t.exposeInt('userId', { description: 'Who has been there.' }),
    user: t.relation('user', {
      nullable: true,
      description: `Null for a user who has just been deleted. ${UNLISTED}`,
      authScopes: ({ userId }, _args, context) => maySeeListed(userId, context),
      unauthorizedResolver: () => null,
      // Lists are SQL of their own, so the users of a page are read together.
      resolve: (_selection, { applicationId, userId }, _args, { loaders }) =>
        loaders.of(userLoader).load({ applicationId, id: userId }),
    }),
    latitude: t.exposeFloat('latitude', { description: 'Degrees, -90 to 90.' }),
    longitude: t.exposeFloat('longitude', { description: 'Degrees, -180 to 180.' }),
    status: t.exposeString('status', { nullable: true, description: 'What the user had to say there; null: nothing.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const GeodatumFilter = builder.inputRef<GeodatumFilterShape>('GeodatumFilter').implement({
  description: 'All that is given must match; of `or` at least one, of `and` each.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeFilter, description: 'When users were there.' }),
    userId: t.field({ type: SafeIntFilter, description: 'Who was there.' }),
    or: t.field({ type: [GeodatumFilter], description: OR }),
    and: t.field({ type: [GeodatumFilter], description: AND }),
  }),
});

interface GeodatumFilterShape {
  createdAt?: typeof DateTimeFilter.$inferInput | null;
  userId?: typeof SafeIntFilter.$inferInput | null;
  or?: GeodatumFilterShape[] | null;
  and?: GeodatumFilterShape[] | null;
}

const PositionInput = builder.inputType('PositionInput', {
  description: 'In degrees.',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'Degrees, -90 to 90.' }),
    longitude: t.float({ required: true, description: 'Degrees, -180 to 180.' }),
  }),
});

const RectangleInput = builder.inputType('RectangleInput', {
  description: 'In degrees; a west that lies east of the east means across the date line.',
  fields: (t) => ({
    south: t.float({ required: true, description: 'Its southern edge, -90 to 90.' }),
    west: t.float({ required: true, description: 'Its western edge, -180 to 180.' }),
    north: t.float({ required: true, description: 'Its northern edge, -90 to 90.' }),
    east: t.float({ required: true, description: 'Its eastern edge, -180 to 180.' }),
  }),
});

const GeodatumSortField = builder.enumType('GeodatumSortField', {
  description: 'What places can be sorted by.',
  values: {
    CREATED_AT: { value: 'createdAt', description: 'When users were there.' },
    LATITUDE: { value: 'latitude', description: 'From south to north.' },
    LONGITUDE: { value: 'longitude', description: 'From west to east.' },
    DISTANCE: { value: 'distance', description: 'From `position`.' },
  } as const,
});

const GeodatumOrder = builder.inputType('GeodatumOrder', {
  description: 'Ties by id.',
  fields: (t) => ({
    field: t.field({
      type: GeodatumSortField,
      required: true,
      description: 'By what to sort; `DISTANCE` needs a `position`.',
    }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});

const GeodatumInput = builder.inputType('GeodatumInput', {
  description: 'Latitude and longitude in degrees; a status of at most 1000 characters.',
  fields: (t) => ({
    latitude: t.float({ description: 'Degrees, -90 to 90.' }),
    longitude: t.float({ description: 'Degrees, -180 to 180.' }),
    status: t.string({ description: 'What the user has to say there.' }),
  }),
});

builder.queryField('geodatum', (t) =>
  t.withAuth({ session: true }).prismaField({
    type: Geodatum,
    description: 'One place where a user has been.',
    args: { id: t.arg.int({ required: true, description: 'As `createGeodatum` answered it.' }) },
    resolve: (selection, _root, { id }, context) => findGeodatum(id, context, selection),
  }),
);

builder.queryField('geodata', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: Geodatum,
      description: 'Where users of the application have been, the newest first or as asked.',
      args: {
        filter: t.arg({ type: GeodatumFilter, description: FILTER }),
        userName: t.arg.string({ description: "Part of the user's login or full name, letter case ignored." }),
        externalUserIds: t.arg({ type: ['SafeInt'], description: "Users' ids in an integrated external system." }),
        within: t.arg({ type: RectangleInput, description: 'Only places inside this rectangle.' }),
        position: t.arg({ type: PositionInput, description: 'From where `radius` and the distance count.' }),
        radius: t.arg.float({ description: 'In metres.' }),
        latestOnly: t.arg.boolean({ description: 'Only where users are: the newest of each.' }),
        withStatus: t.arg.boolean({ description: 'Only those with a status.' }),
        orderBy: t.arg({ type: GeodatumOrder, description: ORDER }),
        skip: t.arg.int({ description: 'Places to pass over; its cost grows with it, that of cursors does not.' }),
      },
      resolve: (_root, args, context) => listGeodata(args, context),
    },
    { fields: metered },
  ),
);

builder.mutationField('createGeodatum', (t) =>
  t.withAuth({ user: true }).prismaField({
    type: Geodatum,
    description: 'Stores where the caller is.',
    args: { input: t.arg({ type: GeodatumInput, required: true, description: 'Where, and a status.' }) },
    resolve: (selection, _root, { input }, context) => createGeodatum(input, context, selection),
  }),
);

builder.mutationField('updateGeodatum', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    type: Geodatum,
    description: "Changes what is given of one of the caller's places, or for an API key alone of any.",
    args: {
      id: t.arg.int({ required: true, description: 'As `createGeodatum` answered it.' }),
      input: t.arg({ type: GeodatumInput, required: true, description: 'What is to be other than it is.' }),
    },
    resolve: (selection, _root, { id, input }, context) => updateGeodatum(id, input, context, selection),
  }),
);

builder.mutationField('deleteGeodatum', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: "Deletes one of the caller's places, or for an API key alone any.",
    args: { id: t.arg.int({ required: true, description: 'As `createGeodatum` answered it.' }) },
    resolve: (_root, { id }, context) => deleteGeodatum(id, context),
  }),
);

builder.mutationField('deleteOldGeodata', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: "Deletes the caller's places, or for an API key alone everybody's, that are older than so many days.",
    args: { days: t.arg.int({ description: 'At least 1.' }) },
    resolve: (_root, { days }, context) => deleteOldGeodata(days, context),
  }),
);
