import type { Parameters } from '../lib/bracket-keys.ts';
import { readInteger, readText } from '../lib/casts.ts';
import { isObject, type JsonValue, type OptionalJson } from '../lib/json.ts';
import { MAX_NAME, MAX_OCCUPANTS } from '../resolvers/dialogs/rules.ts';
import { presentDeleted } from './deletions.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { dialogDocs } from './openapi/docs/dialogs.ts';
import { anything, described, requestObject } from './openapi/docs/schemas.ts';
import {
  count,
  type FilterNames,
  filtersOf,
  isCount,
  type ListFilter,
  orderOf,
  readFilter,
  readWindow,
  window,
} from './parameters/lists.ts';
import { flag, id, ids, isSet, reader, refusedAs, text, unlessMissing, userIds } from './parameters/readers.ts';
import {
  asInput,
  limited,
  members,
  type ParameterSource,
  parameters,
  required,
  tableOf,
  together,
} from './parameters/table.ts';
import { readCriteria, readFields } from './record-forms.ts';
import { DIALOG_TYPE, DIALOG_TYPES, dialogNotificationsShape, dialogShape } from './shapes/dialog.ts';

const CreateDialog = graphql(
  `mutation CreateDialog($input: CreateDialogInput!) { createDialog(input: $input) { ...DialogFields } }`,
  [dialogShape],
);

const ListDialogs = graphql(
  `query ListDialogs(
    $filter: DialogFilter, $orderBy: DialogOrder, $dataClassName: String, $first: Int!, $skip: Int!, $count: Boolean!
  ) {
    dialogs(filter: $filter, orderBy: $orderBy, dataClassName: $dataClassName, first: $first, skip: $skip) {
      totalCount
      edges @skip(if: $count) { node { ...DialogFields } }
    }
  }`,
  [dialogShape],
);

const FindDialog = graphql(`query FindDialog($id: ID!) { dialog(id: $id) { ...DialogFields } }`, [dialogShape]);

const UpdateDialog = graphql(
  `mutation UpdateDialog($id: ID!, $input: UpdateDialogInput!) {
    updateDialog(id: $id, input: $input) { ...DialogFields }
  }`,
  [dialogShape],
);

const DeleteDialog = graphql(`mutation DeleteDialog($id: ID!, $force: Boolean!) {
  deleteDialog(id: $id, force: $force)
}`);

const DeleteDialogs = graphql(`mutation DeleteDialogs($ids: [ID!]!, $force: Boolean!) {
  deleteDialogs(ids: $ids, force: $force) { deletedIds notFoundIds wrongPermissionsIds }
}`);

const FindDialogNotifications = graphql(
  `query FindDialogNotifications($dialogId: ID!) {
    dialogNotifications(dialogId: $dialogId) { ...DialogNotificationsFields }
  }`,
  [dialogNotificationsShape],
);

const UpdateDialogNotifications = graphql(
  `mutation UpdateDialogNotifications($dialogId: ID!, $enabled: Boolean) {
    updateDialogNotifications(dialogId: $dialogId, enabled: $enabled) { ...DialogNotificationsFields }
  }`,
  [dialogNotificationsShape],
);

const FILTERS: FilterNames = {
  _id: ['id', 'id'],
  type: ['type', 'integer'],
  name: ['name', 'text'],
  last_message_date_sent: ['lastMessageDateSent', 'unixTime'],
  created_at: ['createdAt', 'moment'],
  updated_at: ['updatedAt', 'moment'],
  occupants_ids: ['occupantIds', 'integers'],
};

const SORTS = {
  _id: 'ID',
  type: 'TYPE',
  name: 'NAME',
  last_message_date_sent: 'LAST_MESSAGE_DATE_SENT',
  date_sent: 'LAST_MESSAGE_DATE_SENT',
  created_at: 'CREATED_AT',
  updated_at: 'UPDATED_AT',
} as const;

const dialogType = refusedAs(
  reader(DIALOG_TYPE, (value) => DIALOG_TYPES[readInteger(value) as keyof typeof DIALOG_TYPES]),
  () => 'DIALOG_TYPE_REQUIRED',
);
const name = limited(text, { maxLength: MAX_NAME });
const data = {
  ...requestObject({ class_name: described(text.schema, 'Name of the class.') }),
  additionalProperties: anything,
};
const CLASSED =
  'Filters by custom data: `data[class_name]` by the class, and `data[<field>]` by a field of that class.';
const force = ['force', isSet, '1 deletes for all users; requires the owner or an API key alone. Default 0.'] as const;

const newDialog = parameters('CreateDialogInput', {
  type: ['type', required(dialogType)],
  occupants_ids: [
    'occupantIds',
    userIds,
    `Ids of the occupants besides the caller. Groups: 1 to ${MAX_OCCUPANTS - 1}, unknown ids are ignored. Private ` +
      'dialogs: exactly one.',
  ],
  name: ['name', name, `Name of the dialog, up to ${MAX_NAME} characters. Required for groups and public groups.`],
  photo: ['photo', text, 'Address or file id of a picture. Addresses that run scripts are refused.'],
  is_join_required: ['isJoinRequired', flag, 'Stored for clients; has no effect on the server. Default 0.'],
  data: {
    variables: (value, source) => readData(classed(value), source),
    schema: described(data, 'Custom data: the name of a class, and values for its fields. Unknown fields are ignored.'),
  },
});

const changedDialog = parameters('UpdateDialogInput', {
  name: ['name', name, `New name, up to ${MAX_NAME} characters.`],
  photo: ['photo', text, 'New address or file id of a picture; null removes it.'],
  is_join_required: ['isJoinRequired', flag, 'Stored for clients; has no effect on the server.'],
  data: {
    variables: readData,
    schema: described(data, 'Custom data to change. Omitted fields keep their values, null unsets a field.'),
  },
  push_all: members(
    parameters('UpdateDialogInput', {
      occupants_ids: [
        'addOccupantIds',
        unlessMissing(userIds),
        'Ids of users to add as occupants. Unknown ids are ignored.',
      ],
      admins_ids: [
        'addAdminIds',
        unlessMissing(userIds),
        'Ids of users to make admins; in groups, only occupants count.',
      ],
    }),
    'Users to add.',
  ),
  pull_all: members(
    parameters('UpdateDialogInput', {
      occupants_ids: ['removeOccupantIds', unlessMissing(userIds), 'Ids of occupants to remove.'],
      admins_ids: ['removeAdminIds', unlessMissing(userIds), 'Ids of admins who become plain occupants.'],
    }),
    'Users to remove.',
  ),
});

const listedDialogs = together(
  { ...filtersOf(FILTERS), read: (parameters) => ({ filter: readDialogFilter(parameters) }) },
  orderOf(SORTS),
  together(window, count),
  tableOf({ data: described(data, CLASSED) }, ({ data }) => ({ dataClassName: className(data) })),
);

export const dialogRoutes = [
  route({
    method: 'post',
    path: '/chat/Dialog',
    xml: 'dialog',
    document: CreateDialog,
    parameters: asInput(newDialog),
    shape: dialogShape,
    docs: dialogDocs.createDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog',
    xml: 'dialogs',
    document: ListDialogs,
    parameters: listedDialogs,
    variables: ({ values: { limit, ...others } }) => ({ ...others, first: others.count ? 1 : limit }),
    present: ({ dialogs }, { parameters }) =>
      isCount(parameters)
        ? { items: { count: dialogs.totalCount } }
        : {
            total_entries: dialogs.totalCount,
            skip: readWindow(parameters).skip,
            limit: readWindow(parameters).limit,
            items: dialogs.edges?.map(({ node }) => dialogShape.present(node)),
          },
    docs: dialogDocs.listDialogs,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: FindDialog,
    inPath: { id: ['id', id] },
    shape: dialogShape,
    docs: dialogDocs.findDialog,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: UpdateDialog,
    inPath: { id: ['id', id] },
    parameters: asInput(changedDialog),
    shape: dialogShape,
    docs: dialogDocs.updateDialog,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:ids',
    several: true,
    document: DeleteDialogs,
    inPath: { ids: ['ids', ids, 'Ids of dialogs, separated by commas.'] },
    parameters: parameters('Mutation.deleteDialogs', { force }),
    present: ({ deleteDialogs }) => presentDeleted(deleteDialogs),
    docs: dialogDocs.deleteDialogs,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:id',
    document: DeleteDialog,
    inPath: { id: ['id', id] },
    parameters: parameters('Mutation.deleteDialog', { force }),
    docs: dialogDocs.deleteDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id/notifications',
    document: FindDialogNotifications,
    inPath: { id: ['dialogId', id] },
    shape: dialogNotificationsShape,
    docs: dialogDocs.findDialogNotifications,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id/notifications',
    document: UpdateDialogNotifications,
    inPath: { id: ['dialogId', id] },
    parameters: parameters('Mutation.updateDialogNotifications', {
      enabled: ['enabled', flag, '1 enables pushes, 0 disables them. Required.'],
    }),
    shape: dialogNotificationsShape,
    docs: dialogDocs.updateDialogNotifications,
  }),
];

function className(data: JsonValue | undefined): string | null | undefined {
  return isObject(data) ? readText(data.class_name) : undefined;
}

function classed(data: JsonValue | undefined): JsonValue | undefined {
  return className(data) == null ? undefined : data;
}

function valuesOf(data: JsonValue | undefined): Parameters | undefined {
  if (!isObject(data)) return undefined;
  const { class_name: _name, ...values } = data;
  return Object.keys(values).length > 0 ? values : undefined;
}

function readData(data: OptionalJson, source: ParameterSource) {
  const values = valuesOf(data);
  return { dataClassName: className(data), data: values && readFields(values, source) };
}

/** The fields of a class are under `data`; their `[or]` join those of the dialog. */
function readDialogFilter(parameters: Parameters): ListFilter & { data?: Parameters } {
  const filter = readFilter(parameters, FILTERS);
  const values = valuesOf(classed(parameters.data));
  if (!values) return filter;
  const data: Parameters = Object.create(null);
  const alternatives = [];
  for (const [name, requested] of Object.entries(readCriteria(values))) {
    if (!isObject(requested) || requested.or === undefined) {
      data[name] = requested;
      continue;
    }
    const { or, ...others } = requested;
    alternatives.push({ data: { [name]: { or } } });
    if (Object.keys(others).length > 0) data[name] = others;
  }
  const or = [...((filter.or as []) ?? []), ...alternatives];
  return { ...filter, data, ...(or.length > 0 ? { or } : {}) };
}
