import { SUPPORT } from '../administration/administrators/rights.ts';
import { createGeodatum } from '../resolvers/geodata/create.ts';
import { deleteGeodatum, deleteOldGeodata } from '../resolvers/geodata/delete.ts';
import { findGeodatum } from '../resolvers/geodata/find.ts';
import { listGeodata } from '../resolvers/geodata/list.ts';
import { MAX_STATUS } from '../resolvers/geodata/rules.ts';
import { updateGeodatum } from '../resolvers/geodata/update.ts';
import { maySeeListed } from '../resolvers/users/listing.ts';
import { userLoader } from '../resolvers/users/loader.ts';
import { builder } from './builder.ts';
import {
  APPLICATION_ID,
  CREATED_AT,
  DIRECTION,
  FILTER,
  grouped,
  ORDER,
  skipped,
  UNLISTED,
  UPDATED_AT,
} from './descriptions.ts';
import { conditions, DateTimeFilter, SafeIntFilter } from './filters.ts';
import { SortDirection } from './scalars.ts';
import { withTotalCount } from './total-count.ts';
import './users.ts';

const Geodatum = builder.prismaObject('Geodatum', {
  description: 'A location of a user at one time. Every session of the application may read it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Id of the location.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    userId: t.exposeInt('userId', { description: 'Id of the user who was there.' }),
    user: t.relation('user', {
      scope: 'users:read',
      nullable: true,
      description: `The user who was there; null if the user was just deleted. ${UNLISTED}`,
      authScopes: ({ userId }, _args, context) => maySeeListed(userId, context),
      unauthorizedResolver: () => null,
      // Lists do not use Prisma, so a loader reads the users of a page together.
      resolve: (_selection, { applicationId, userId }, _args, { loaders }) =>
        loaders.of(userLoader).load({ applicationId, id: userId }),
    }),
    latitude: t.exposeFloat('latitude', { description: 'Degrees, -90 to 90.' }),
    longitude: t.exposeFloat('longitude', { description: 'Degrees, -180 to 180.' }),
    status: t.exposeString('status', {
      nullable: true,
      description: 'Text that the user attached to the location; null if none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const GeodatumFilter = conditions('GeodatumFilter', 'location', {
  createdAt: [DateTimeFilter, 'Compares the time at which the location was stored.'],
  userId: [SafeIntFilter, 'Compares the user id.'],
});

const PositionInput = builder.inputType('PositionInput', {
  description: 'A position on earth, in degrees.',
  fields: (t) => ({
    latitude: t.float({ required: true, description: 'Degrees, -90 to 90.' }),
    longitude: t.float({ required: true, description: 'Degrees, -180 to 180.' }),
  }),
});

const RectangleInput = builder.inputType('RectangleInput', {
  description: 'A rectangle on earth, in degrees. If `west` is greater than `east`, it crosses the date line.',
  fields: (t) => ({
    south: t.float({ required: true, description: 'Latitude of the southern edge, -90 to 90.' }),
    west: t.float({ required: true, description: 'Longitude of the western edge, -180 to 180.' }),
    north: t.float({ required: true, description: 'Latitude of the northern edge, -90 to 90.' }),
    east: t.float({ required: true, description: 'Longitude of the eastern edge, -180 to 180.' }),
  }),
});

const GeodatumSortField = builder.enumType('GeodatumSortField', {
  description: 'Fields by which locations can be sorted.',
  values: {
    CREATED_AT: { value: 'createdAt', description: 'Time at which the location was stored.' },
    LATITUDE: { value: 'latitude', description: 'Latitude; ascending is from south to north.' },
    LONGITUDE: { value: 'longitude', description: 'Longitude; ascending is from west to east.' },
    DISTANCE: { value: 'distance', description: 'Distance from `position`, which is required.' },
  } as const,
});

const GeodatumOrder = builder.inputType('GeodatumOrder', {
  description: 'How to sort locations. Ties are broken by id.',
  fields: (t) => ({
    field: t.field({
      type: GeodatumSortField,
      required: true,
      description: 'The field to sort by. `DISTANCE` without `position` fails with `UNPROCESSABLE`.',
    }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});

const GeodatumInput = builder.inputType('GeodatumInput', {
  description: 'A location, or changes to a location. Invalid values fail with `UNPROCESSABLE`.',
  fields: (t) => ({
    latitude: t.float({ description: 'Degrees, -90 to 90. Required by `createGeodatum`.' }),
    longitude: t.float({ description: 'Degrees, -180 to 180. Required by `createGeodatum`.' }),
    status: t.string({
      description: `Text to attach, at most ${grouped(MAX_STATUS)} characters. Null or an empty text removes it.`,
    }),
  }),
});

builder.queryField('geodatum', (t) =>
  t.withAuth({ session: true }).prismaField({
    scope: 'geodata',
    administrator: { roles: SUPPORT },
    type: Geodatum,
    description: 'One location. Fails with `NOT_FOUND` if it does not exist.',
    args: { id: t.arg.int({ required: true, description: 'Id of the location.' }) },
    resolve: (selection, _root, { id }, context) => findGeodatum(id, context, selection),
  }),
);

builder.queryField('geodata', (t) =>
  t.withAuth({ session: true }).connection(
    {
      scope: 'geodata',
      administrator: { roles: SUPPORT },
      type: Geodatum,
      description: 'Locations of the users of the application. Sorted newest first unless `orderBy` is given.',
      args: {
        filter: t.arg({ type: GeodatumFilter, description: FILTER }),
        userName: t.arg.string({
          description:
            'Only return locations of users whose login or full name contains this text, ignoring letter case. Fails ' +
            'with `FORBIDDEN` for sessions if the application disables `usersList`.',
        }),
        externalUserIds: t.arg({
          type: ['SafeInt'],
          description: 'Only return locations of users with one of these `externalUserId` values.',
        }),
        within: t.arg({ type: RectangleInput, description: 'Only return locations inside this rectangle.' }),
        position: t.arg({ type: PositionInput, description: 'Center for `radius` and for sorting by `DISTANCE`.' }),
        radius: t.arg.float({
          description:
            'Only return locations within this distance of `position`, in meters. Without `position` it fails with ' +
            '`UNPROCESSABLE`.',
        }),
        latestOnly: t.arg.boolean({ description: 'Only return the latest location of each user. Default: false.' }),
        withStatus: t.arg.boolean({ description: 'Only return locations with a status. Default: false.' }),
        orderBy: t.arg({ type: GeodatumOrder, description: ORDER }),
        skip: t.arg.int({ description: skipped('locations') }),
      },
      resolve: (_root, args, context) => listGeodata(args, context),
    },
    { fields: withTotalCount },
  ),
);

builder.mutationField('createGeodatum', (t) =>
  t.withAuth({ user: true }).prismaField({
    scope: 'geodata',
    administrator: { roles: SUPPORT },
    type: Geodatum,
    description: 'Stores a location of the caller.',
    args: {
      input: t.arg({ type: GeodatumInput, required: true, description: 'The location and an optional status.' }),
    },
    resolve: (selection, _root, { input }, context) => createGeodatum(input, context, selection),
  }),
);

builder.mutationField('updateGeodatum', (t) =>
  t.withAuth({ userOrKey: true }).prismaField({
    scope: 'geodata',
    administrator: { roles: SUPPORT },
    type: Geodatum,
    description:
      "Changes a location of the caller, or any location for an API key without `On-Behalf-Of`. Another user's " +
      'location fails with `FORBIDDEN`, and an input without fields with `BAD_USER_INPUT`.',
    args: {
      id: t.arg.int({ required: true, description: 'Id of the location.' }),
      input: t.arg({
        type: GeodatumInput,
        required: true,
        description: 'The fields to change. Omitted fields remain unchanged.',
      }),
    },
    resolve: (selection, _root, { id, input }, context) => updateGeodatum(id, input, context, selection),
  }),
);

builder.mutationField('deleteGeodatum', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'geodata',
    administrator: { roles: SUPPORT, isConfirmed: true },
    description:
      'Deletes a location of the caller, or any location for an API key without `On-Behalf-Of`, and returns ' +
      "true. Another user's location fails with `FORBIDDEN`.",
    args: { id: t.arg.int({ required: true, description: 'Id of the location.' }) },
    resolve: (_root, { id }, context) => deleteGeodatum(id, context),
  }),
);

builder.mutationField('deleteOldGeodata', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'geodata',
    administrator: { roles: SUPPORT, isConfirmed: true },
    description:
      "Deletes the caller's locations that are older than `days`, or those of all users for an API key without " +
      '`On-Behalf-Of`, and returns true.',
    args: {
      days: t.arg.int({
        description: 'Minimum age in days, at least 1. Required; other values fail with `UNPROCESSABLE`.',
      }),
    },
    resolve: (_root, { days }, context) => deleteOldGeodata(days, context),
  }),
);
