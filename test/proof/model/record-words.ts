export type FieldType = 'Integer' | 'Float' | 'String' | 'Boolean' | 'Date' | 'Location';

export interface Place {
  lat: number;
  lon: number;
}

/** Times are milliseconds since 1970. */
export type Item = number | string | boolean | Place;
export type Value = Item | Item[];

export interface Field {
  name: string;
  type: FieldType;
  isArray: boolean;
  isIndexed: boolean;
  isRequired: boolean;
  isUnique: boolean;
}

export type CommonType = 'Id' | 'User' | 'Moment';

/** A field in a filter or an order: of the class, or common. */
export interface Asked {
  name: string;
  type: FieldType | CommonType;
  isArray: boolean;
}

export const COMMON: Asked[] = [
  { name: '_id', type: 'Id', isArray: false },
  { name: '_parent_id', type: 'Id', isArray: false },
  { name: 'user_id', type: 'User', isArray: false },
  { name: 'created_at', type: 'Moment', isArray: false },
  { name: 'updated_at', type: 'Moment', isArray: false },
];

export const DEEDS = ['read', 'update', 'delete'] as const;
export type Deed = (typeof DEEDS)[number];

export type Permission =
  | { access: 'open' | 'owner' | 'not_allowed' }
  | { access: 'open_for_users_ids'; ids: number[] }
  | { access: 'open_for_groups'; groups: string[] };

/** A caller; records created by API keys alone have the owner 0. */
export interface Actor {
  kind: 'user' | 'key' | 'application';
  id: number;
  tags: string[];
}

export interface Stored {
  id: string;
  parentId: string | null;
  userId: number;
  permissions: Record<Deed, Permission>;
  /** Only fields with a value. */
  fields: Map<string, Value>;
  createdAt: number;
  updatedAt: number;
  /** Set in the response to an update by a caller who may not read the record. */
  isHidden?: boolean;
}

export interface FieldTest {
  asked: Asked;
  operator: Operator;
  /** Null matches unset fields. */
  value: Item | Item[] | Near | null;
  /** Duration of each time, in milliseconds. */
  lengths: number[];
}

export interface Near extends Place {
  metres: number;
}

export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'nin' | 'or' | 'all' | 'ctn' | 'near';

export type Filter = { all: Filter[] } | { any: Filter[] } | FieldTest;

export interface Order {
  asked: Asked;
  isDescending: boolean;
}

/** A rejected operation, which changes nothing. */
export class Refusal extends Error {
  readonly reason: 'invalid' | 'forbidden' | 'not found';

  constructor(reason: Refusal['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/** Equal for equal items; locations are objects. */
export function keyOf(item: Item): string {
  return typeof item === 'object' ? `${item.lat} ${item.lon}` : `${typeof item} ${item}`;
}
