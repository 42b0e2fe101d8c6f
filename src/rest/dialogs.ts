import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { readFlag, readInteger, readList, readText } from '../lib/parameter-values.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { presentDeleted } from './deletions.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import {
  type FilterInput,
  type FilterNames,
  isCount,
  readFilter,
  readIds,
  readOrder,
  readWindow,
} from './http/lists.ts';
import { created, empty, ok, type RestRequest, route } from './http/route.ts';
import { dialogDocs } from './openapi/docs/dialogs.ts';
import { readCriteria, readFields } from './record-forms.ts';
import { DIALOG_TYPES, dialogNotificationsShape, dialogShape } from './shapes/dialog.ts';

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

export const dialogRoutes = [
  route({
    method: 'post',
    path: '/chat/Dialog',
    xml: 'dialog',
    document: CreateDialog,
    variables: ({ parameters, header }) => ({
      input: {
        type: dialogType(parameters.type),
        occupantIds: userIds(parameters.occupants_ids),
        name: readText(parameters.name),
        photo: readText(parameters.photo),
        isJoinRequired: readFlag(parameters.is_join_required),
        ...readData(classed(parameters.data), { header }),
      },
    }),
    respond: ({ createDialog }) => created(dialogShape.present(createDialog)),
    errors: errorList,
    docs: dialogDocs.createDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog',
    xml: 'dialogs',
    document: ListDialogs,
    variables: ({ parameters }) => ({
      filter: readDialogFilter(parameters),
      orderBy: readOrder(parameters, SORTS),
      dataClassName: className(parameters.data),
      first: isCount(parameters) ? 1 : readWindow(parameters).limit,
      skip: readWindow(parameters).skip,
      count: isCount(parameters),
    }),
    respond: ({ dialogs }, { parameters }) =>
      isCount(parameters)
        ? ok({ items: { count: dialogs.totalCount } })
        : ok({
            total_entries: dialogs.totalCount,
            skip: readWindow(parameters).skip,
            limit: readWindow(parameters).limit,
            items: dialogs.edges?.map(({ node }) => dialogShape.present(node)),
          }),
    errors: errorList,
    docs: dialogDocs.listDialogs(FILTERS, SORTS),
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: FindDialog,
    variables: ({ path }) => ({ id: path.id! }),
    respond: ({ dialog }) => ok(dialogShape.present(dialog)),
    errors: errorList,
    docs: dialogDocs.findDialog,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id',
    xml: 'dialog',
    document: UpdateDialog,
    variables: ({ path, parameters, header }) => ({
      id: path.id!,
      input: {
        name: readText(parameters.name),
        photo: readText(parameters.photo),
        isJoinRequired: readFlag(parameters.is_join_required),
        ...readData(parameters.data, { header }),
        addOccupantIds: listedUsers(parameters.push_all, 'occupants_ids'),
        removeOccupantIds: listedUsers(parameters.pull_all, 'occupants_ids'),
        addAdminIds: listedUsers(parameters.push_all, 'admins_ids'),
        removeAdminIds: listedUsers(parameters.pull_all, 'admins_ids'),
      },
    }),
    respond: ({ updateDialog }) => ok(dialogShape.present(updateDialog)),
    errors: errorList,
    docs: dialogDocs.updateDialog,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:ids',
    several: true,
    document: DeleteDialogs,
    variables: ({ path, parameters }) => ({ ids: readIds(path.ids!), force: readFlag(parameters.force) === true }),
    respond: ({ deleteDialogs }) => ok(presentDeleted(deleteDialogs)),
    errors: errorList,
    docs: dialogDocs.deleteDialogs,
  }),
  route({
    method: 'delete',
    path: '/chat/Dialog/:id',
    document: DeleteDialog,
    variables: ({ path, parameters }) => ({ id: path.id!, force: readFlag(parameters.force) === true }),
    respond: empty,
    errors: errorList,
    docs: dialogDocs.deleteDialog,
  }),
  route({
    method: 'get',
    path: '/chat/Dialog/:id/notifications',
    document: FindDialogNotifications,
    variables: ({ path }) => ({ dialogId: path.id! }),
    respond: ({ dialogNotifications }) => ok(dialogNotificationsShape.present(dialogNotifications)),
    errors: errorList,
    docs: dialogDocs.findDialogNotifications,
  }),
  route({
    method: 'put',
    path: '/chat/Dialog/:id/notifications',
    document: UpdateDialogNotifications,
    variables: ({ path, parameters }) => ({ dialogId: path.id!, enabled: readFlag(parameters.enabled) }),
    respond: ({ updateDialogNotifications }) => ok(dialogNotificationsShape.present(updateDialogNotifications)),
    errors: errorList,
    docs: dialogDocs.updateDialogNotifications,
  }),
];

function dialogType(value: ParameterValue | undefined) {
  return DIALOG_TYPES[readInteger(value) as keyof typeof DIALOG_TYPES];
}

/** Replaces invalid ids by 0, so that they count as unknown users instead of missing ones. */
function userIds(value: ParameterValue | undefined): number[] {
  return readList(value).map((item) => {
    const id = readInteger(item);
    return id !== undefined && isDatabaseId(id) ? id : 0;
  });
}

function listedUsers(lists: ParameterValue | undefined, name: string): number[] | undefined {
  const listed = isObject(lists) ? lists[name] : undefined;
  return listed === undefined ? undefined : userIds(listed);
}

function className(data: ParameterValue | undefined): string | null | undefined {
  return isObject(data) ? readText(data.class_name) : undefined;
}

function classed(data: ParameterValue | undefined): ParameterValue | undefined {
  return className(data) == null ? undefined : data;
}

function valuesOf(data: ParameterValue | undefined): Parameters | undefined {
  if (!isObject(data)) return undefined;
  const { class_name: _name, ...values } = data;
  return Object.keys(values).length > 0 ? values : undefined;
}

function readData(data: ParameterValue | undefined, request: Pick<RestRequest, 'header'>) {
  const values = valuesOf(data);
  return { dataClassName: className(data), data: values && readFields(values, request) };
}

/** The fields of a class are under `data`; their `[or]` join those of the dialog. */
function readDialogFilter(parameters: Parameters): FilterInput & { data?: Parameters } {
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
