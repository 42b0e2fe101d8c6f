import { z } from 'zod';
import { MigrationError } from './errors.ts';
import { ACCESS_KINDS, isStringId, withoutReservedKeys } from './service.ts';

// Rules for new input (lengths, characters of a login) do not apply to existing data.

const MAX_ID = 2_147_483_647;
const MAX_TEXT = 10_000;
const MAX_CONTENT = 1024 * 1024;
const MAX_OCCUPANTS = 100_000;

const databaseId = z.int().min(1).max(MAX_ID);
/** From a sequence that all applications share, of which half remains. */
const sequenceId = z
  .int()
  .min(1)
  .max(MAX_ID / 2, 'would leave few ids for other applications');
const stringId = z.string().refine(isStringId, 'should be 24 hex digits');
const text = z.string().max(MAX_TEXT);
const optionalText = text.nullish().transform((value) => value || null);
const orNull = <Type extends z.ZodType>(type: Type) => type.nullish().transform((value) => value ?? null);
const orFalse = (type: z.ZodType) => type.nullish().transform(Boolean);
const timestamp = z
  .string()
  .max(40)
  .transform((value) => new Date(value))
  .refine(isStorable, 'should be a timestamp')
  .transform((value) => value.toISOString());
const unixSeconds = z.int().min(0).max(MAX_ID);
const count = z.int().min(0);
const flag = z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]);
const digits = orNull(z.union([z.int().min(0).transform(String), z.string().regex(/^\d{1,20}$/, 'should be digits')]));

function isStorable(value: Date): boolean {
  const year = value.getUTCFullYear();
  return year >= 1970 && year < 10_000;
}

const user = z.object({
  id: sequenceId,
  full_name: optionalText,
  email: optionalText,
  login: optionalText,
  phone: optionalText,
  website: optionalText,
  created_at: timestamp,
  updated_at: timestamp,
  last_request_at: orNull(timestamp),
  external_user_id: orNull(z.int().min(1)),
  facebook_id: digits,
  twitter_id: digits,
  blob_id: orNull(z.union([databaseId, z.stringFormat('digits', /^\d{1,9}$/).transform(Number)])),
  custom_data: optionalText,
  parents_contacts: optionalText,
  age_over16: orFalse(flag),
  allow_statistics_analysis: orFalse(flag),
  allow_sales_activities: orFalse(flag),
  user_tags: optionalText,
});
export type SourceUser = z.infer<typeof user>;

const permission = z.object({
  access: z.enum(ACCESS_KINDS),
  users_ids: z.array(z.coerce.number().pipe(databaseId)).max(1_000).optional(),
  users_groups: z.array(text).max(1_000).optional(),
});
export type SourcePermission = z.infer<typeof permission>;

const recordClass = z.object({
  _id: stringId,
  name: z.string().max(50),
  acl: z.object({ create: permission, read: permission, update: permission, delete: permission }),
  custom_fields: z
    .array(
      z.object({ name: z.string().max(50), type: z.string().max(20), is_array: z.union([z.string(), flag]).nullish() }),
    )
    .max(200),
});
export type SourceClass = z.infer<typeof recordClass>;

const record = z
  .looseObject({
    _id: stringId,
    _parent_id: orNull(stringId),
    created_at: unixSeconds,
    updated_at: unixSeconds,
    user_id: z.int().min(0).max(MAX_ID),
    permissions: z.object({ read: permission, update: permission, delete: permission }),
  })
  .transform(({ _id, _parent_id, created_at, updated_at, user_id, permissions, ...fields }) => ({
    id: _id,
    parentId: _parent_id,
    createdAt: created_at,
    updatedAt: updated_at,
    userId: user_id,
    permissions,
    fields,
  }));
export type SourceRecord = z.infer<typeof record>;

const dialog = z
  .object({
    _id: stringId,
    user_id: databaseId,
    type: z.literal([1, 2, 3]),
    name: z.string().max(MAX_TEXT).nullish(),
    photo: optionalText,
    occupants_ids: z.array(databaseId).max(MAX_OCCUPANTS),
    admins_ids: z.array(databaseId).max(MAX_OCCUPANTS).default([]),
    is_join_required: flag.default(false),
    data: z.looseObject({ class_name: z.string().max(50) }).nullish(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .refine(({ type, occupants_ids }) => type !== 3 || new Set(occupants_ids).size === 2, 'should have two occupants')
  .transform((input) => ({
    id: input._id,
    userId: input.user_id,
    type: input.type,
    name: input.type === 3 ? null : (input.name ?? null),
    photo: input.photo,
    occupantIds: input.type === 1 ? [] : ascending(input.occupants_ids),
    adminIds: input.type === 3 ? [] : ascending(input.admins_ids),
    isJoinRequired: input.is_join_required,
    data: input.data ?? null,
    createdAt: input.created_at,
    updatedAt: input.updated_at,
  }));
export type SourceDialog = z.infer<typeof dialog>;

const userIds = z
  .array(databaseId)
  .max(MAX_OCCUPANTS)
  .nullish()
  .transform((ids) => ascending(ids ?? []));

const message = z
  .looseObject({
    _id: stringId,
    chat_dialog_id: stringId,
    sender_id: databaseId,
    recipient_id: z.int().min(0).max(MAX_ID).nullish(),
    message: z.string().max(MAX_CONTENT).nullish(),
    attachments: z.array(z.looseObject({})).max(1_000).nullish(),
    date_sent: unixSeconds,
    created_at: timestamp,
    updated_at: timestamp,
    read_ids: userIds,
    delivered_ids: userIds,
    reactions: z.unknown(),
  })
  .transform((input) => ({
    id: input._id,
    dialogId: input.chat_dialog_id,
    senderId: input.sender_id,
    recipientId: input.recipient_id ?? 0,
    text: input.message ?? '',
    attachments: input.attachments ?? [],
    customFields: withoutReservedKeys(input),
    dateSent: input.date_sent,
    createdAt: input.created_at,
    updatedAt: input.updated_at,
    readIds: input.read_ids,
    deliveredIds: input.delivered_ids,
    hasReactions: input.reactions !== null && input.reactions !== undefined,
  }))
  .refine(
    ({ attachments, customFields }) => JSON.stringify([attachments, customFields]).length <= MAX_CONTENT,
    'should be at most 1 MiB',
  );
export type SourceMessage = z.infer<typeof message>;

const blob = z.object({
  id: sequenceId,
  uid: z.string().max(100),
  content_type: z.string().max(255),
  name: z.string().max(1_000),
  size: z.int().min(0).nullish(),
  created_at: timestamp,
  updated_at: timestamp,
  blob_status: z.string().nullish(),
  set_completed_at: timestamp.nullish(),
  public: flag,
  tags: optionalText,
  user_id: databaseId.nullish(),
});
export type SourceBlob = z.infer<typeof blob>;

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ total_entries: count, items: z.array(item).max(1_000) });
const list = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item).max(1_000) });

export const RESPONSES = {
  settings: z.object({ chat_endpoint: z.string().min(1).max(255) }),
  user: z.object({ user: z.object({ id: databaseId }) }).transform((wrapped) => wrapped.user),
  users: page(z.object({ user }).transform((wrapped) => wrapped.user)),
  classes: z.object({ items: z.array(recordClass).max(10_000) }),
  records: list(record),
  dialogs: page(dialog),
  dialogIds: page(z.object({ _id: stringId }).transform(({ _id }) => ({ id: _id }))),
  messages: list(message),
  messageIds: list(z.object({ _id: stringId, date_sent: unixSeconds })),
  count: z.object({ items: z.object({ count }) }).transform(({ items }) => items.count),
  notifications: z.object({ notifications: z.object({ enabled: flag }) }).transform((input) => input.notifications),
  reactions: z.record(z.string().min(1).max(64), z.array(databaseId).max(MAX_OCCUPANTS)),
  ownReactions: z
    .object({ reactions: z.object({ own: z.array(z.string()).max(1_000) }).nullish() })
    .transform(({ reactions }) => reactions?.own ?? []),
  blobs: page(z.object({ blob }).transform((wrapped) => wrapped.blob)),
  session: z.object({ session: z.object({ token: z.string().min(1).max(1_000), user_id: databaseId }) }),
} as const;

/** @throws {MigrationError} names the path of the wrong value */
export function readResponse<Shape extends z.ZodType>(shape: Shape, body: unknown, what: string): z.infer<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  const { path, message: reason } = result.error.issues[0]!;
  throw new MigrationError(`${what}: ${[path.join('.') || 'the response', reason].join(': ')}`);
}

function ascending(ids: number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}
