import { compare, matches, requireFitting } from './record-filters.ts';
import {
  type Actor,
  type Deed,
  type Field,
  type Filter,
  type Item,
  keyOf,
  type Permission,
  Refusal,
  type Stored,
  type Value,
} from './record-words.ts';

export type ClassDeed = 'create' | Deed;

export interface NewRecord {
  fields: Map<string, Value | null>;
  permissions: Partial<Record<Deed, Permission>>;
  parentId: string | null;
}

/** One change of one field; values are applied first, then operators in the order of the contract. */
export type FieldChange =
  | { operator: 'set'; field: Field; value: Value | null }
  | { operator: 'replace'; field: Field; index: number; value: Item }
  | { operator: 'inc'; field: Field; value: Item }
  | { operator: 'push' | 'add_to_set' | 'pull_all'; field: Field; value: Item[] }
  | { operator: 'pull'; field: Field; value: Item; comparison: Comparison | undefined }
  | { operator: 'pop'; field: Field; value: 1 | -1 };

export type Comparison = 'lt' | 'lte' | 'gt' | 'gte' | 'ne' | 'in' | 'nin';

const STEPS: FieldChange['operator'][] = ['set', 'replace', 'inc', 'push', 'add_to_set', 'pull', 'pull_all', 'pop'];

export interface Update {
  changes: FieldChange[];
  permissions: Partial<Record<Deed, Permission>>;
}

/** The contract of the records of a class, with a plain list. */
export class RecordModel {
  readonly fields: Field[];
  readonly permissions: Record<ClassDeed, Permission>;
  records: Stored[] = [];
  /** Includes deleted records, so that they are requested too. */
  readonly everyId: string[] = [];
  now: number;

  constructor(fields: Field[], permissions: Record<ClassDeed, Permission>, now: number) {
    this.fields = fields;
    this.permissions = permissions;
    this.now = now;
  }

  readable(actor: Actor): Stored[] {
    return this.records.filter((record) => this.allows('read', actor, record));
  }

  allows(deed: Deed, actor: Actor, record: Stored): boolean {
    if (actor.kind === 'key') return true;
    if (this.permissions[deed].access === 'not_allowed') return false;
    if (actor.kind === 'application') return deed === 'read' && record.permissions.read.access === 'open';
    return record.userId === actor.id || isGranted(record.permissions[deed], actor);
  }

  /** @param ids of the records, if they are created */
  create(actor: Actor, news: NewRecord[], ids: string[]): Stored[] {
    const made = news.map(({ fields, permissions, parentId }, nth): Stored => {
      const set = [...fields].flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
      return {
        id: ids[nth]!,
        parentId,
        userId: actor.kind === 'key' ? 0 : actor.id,
        permissions: { ...this.#defaults(), ...permissions },
        fields: new Map(set),
        createdAt: this.now,
        updatedAt: this.now,
      };
    });
    this.#requireComplete(made);
    const seen = this.readable(actor).map(({ id }) => id);
    if (made.some(({ parentId }) => parentId !== null && !seen.includes(parentId))) throw new Refusal('invalid');
    const mayCreate = actor.kind === 'key' || isGranted(this.permissions.create, actor);
    if (!mayCreate) throw new Refusal('forbidden');
    this.#store([...this.records, ...made], made);
    this.everyId.push(...ids);
    return made;
  }

  update(actor: Actor, id: string, update: Update): Stored {
    const { found } = this.updateMany(actor, [id], update, ({ isKnown }) => {
      throw new Refusal(isKnown ? 'forbidden' : 'not found');
    });
    return found[0]!;
  }

  /** Each id occurs once. */
  updateMany(
    actor: Actor,
    ids: string[],
    update: Update,
    otherwise: (missing: { isKnown: boolean }) => void = () => {},
  ): { found: Stored[]; notFound: string[] } {
    this.requireFitting(update);
    const those = ids.flatMap((id) => {
      const record = this.records.find((one) => one.id === id);
      const mayUpdate = record !== undefined && this.allows('update', actor, record);
      if (!mayUpdate) otherwise({ isKnown: record !== undefined });
      return mayUpdate ? [record] : [];
    });
    const found = this.#change(actor, those, update);
    return { found, notFound: ids.filter((id) => !found.some((one) => one.id === id)) };
  }

  updateByCriteria(actor: Actor, filter: Filter, update: Update): Stored[] {
    requireFitting(filter);
    this.requireFitting(update);
    if (actor.kind !== 'key' && this.permissions.update.access === 'not_allowed') throw new Refusal('forbidden');
    const those = this.readable(actor).filter((one) => this.allows('update', actor, one) && matches(one, filter));
    return this.#change(actor, those, update);
  }

  delete(actor: Actor, ids: string[]): { deleted: string[]; notFound: string[]; wrongPermissions: string[] } {
    const known = this.records.filter(({ id }) => ids.includes(id));
    const deleted = known.filter((record) => this.allows('delete', actor, record)).map(({ id }) => id);
    this.#destroy(deleted);
    return {
      deleted: ids.filter((id) => deleted.includes(id)),
      notFound: ids.filter((id) => !known.some((one) => one.id === id)),
      wrongPermissions: ids.filter((id) => known.some((one) => one.id === id) && !deleted.includes(id)),
    };
  }

  deleteByCriteria(actor: Actor, filter: Filter): number {
    requireFitting(filter);
    if (actor.kind !== 'key' && this.permissions.delete.access === 'not_allowed') throw new Refusal('forbidden');
    const those = this.readable(actor).filter((one) => this.allows('delete', actor, one) && matches(one, filter));
    this.#destroy(those.map(({ id }) => id));
    return those.length;
  }

  /** @throws {Refusal} values of the field are not unique */
  makeUnique(field: Field): void {
    const twins = duplicates(this.records, { ...field, isUnique: true });
    if (twins) throw new Refusal('invalid');
    field.isUnique = true;
  }

  requireFitting({ changes }: Update): void {
    for (const { operator, field } of changes) {
      const isNumber = !field.isArray && (field.type === 'Integer' || field.type === 'Float');
      const isFitting = operator === 'set' || (operator === 'inc' ? isNumber : field.isArray);
      if (!isFitting) throw new Refusal('invalid');
    }
  }

  #defaults(): Record<Deed, Permission> {
    const own = (deed: Deed): Permission =>
      this.permissions[deed].access === 'not_allowed' ? { access: 'owner' } : this.permissions[deed];
    return { read: own('read'), update: own('update'), delete: own('delete') };
  }

  #change(actor: Actor, those: Stored[], { changes, permissions }: Update): Stored[] {
    const isOwn = ({ userId }: Stored) => actor.kind === 'key' || (actor.kind === 'user' && actor.id === userId);
    if (those.some((record) => !isOwn(record) && !isSame(record.permissions, permissions))) {
      throw new Refusal('forbidden');
    }
    const hidden = those.filter((record) => !this.allows('read', actor, record));
    const onUnique = changes.some(({ operator, field }) => operator !== 'set' && field.isUnique);
    const isPermitting = Object.keys(permissions ?? {}).length > 0;
    if (hidden.some((record) => onUnique || (isPermitting && !isOwn(record)))) throw new Refusal('forbidden');
    const inOrder = changes.toSorted((a, b) => STEPS.indexOf(a.operator) - STEPS.indexOf(b.operator));
    const changed = those.map((record): Stored => {
      const fields = new Map(record.fields);
      for (const change of inOrder) {
        const value = changedValue(fields.get(change.field.name), change);
        if (value === null) fields.delete(change.field.name);
        else fields.set(change.field.name, value);
      }
      return { ...record, permissions: { ...record.permissions, ...permissions }, fields, updatedAt: this.now };
    });
    this.#store(
      this.records.map((record) => changed.find(({ id }) => id === record.id) ?? record),
      changed,
    );
    return changed.map((record) => ({ ...record, isHidden: hidden.some(({ id }) => id === record.id) }));
  }

  #requireComplete(changed: Stored[]): void {
    const lacks = ({ fields }: Stored) => this.fields.some(({ name, isRequired }) => isRequired && !fields.has(name));
    if (changed.some(lacks)) throw new Refusal('invalid');
  }

  /** @throws {Refusal} a changed record lacks a required value, or a unique value occurs twice */
  #store(records: Stored[], changed: Stored[]): void {
    this.#requireComplete(changed);
    const isTaken = changed.length > 0 && this.fields.some((field) => field.isUnique && duplicates(records, field));
    if (isTaken) throw new Refusal('invalid');
    this.records = records;
  }

  #destroy(ids: string[]): void {
    if (ids.length === 0) return;
    this.records = this.records.filter(({ id }) => !ids.includes(id));
    this.#destroy(this.records.filter(({ parentId }) => parentId && ids.includes(parentId)).map(({ id }) => id));
  }
}

function isGranted(permission: Permission, { kind, id, tags }: Actor): boolean {
  if (kind !== 'user') return false;
  if (permission.access === 'open_for_users_ids') return permission.ids.includes(id);
  if (permission.access === 'open_for_groups') return permission.groups.some((group) => tags.includes(group));
  return permission.access === 'open';
}

function duplicates(records: Stored[], { name }: Field): boolean {
  const values = records.flatMap(({ fields }) => fields.get(name) ?? []).map(keyOf);
  return new Set(values).size < values.length;
}

function changedValue(before: Value | undefined, change: FieldChange): Value | null {
  if (change.operator === 'set') return change.value;
  if (change.operator === 'inc') {
    const sum = Number(before ?? 0) + Number(change.value);
    if (change.field.type === 'Integer' && !Number.isSafeInteger(sum)) throw new Refusal('invalid');
    return sum;
  }
  const items = [...((before as Item[] | undefined) ?? [])];
  const isIn = (list: Item[]) => (item: Item) => list.some((one) => keyOf(one) === keyOf(item));
  switch (change.operator) {
    case 'replace':
      items[Math.min(change.index, items.length)] = change.value;
      return items;
    case 'push':
      return [...items, ...change.value];
    case 'add_to_set':
      for (const item of change.value) if (!isIn(items)(item)) items.push(item);
      return items;
    case 'pull_all':
      return items.filter((item) => !isIn(change.value)(item));
    case 'pop':
      return change.value === 1 ? items.slice(0, -1) : items.slice(1);
    case 'pull': {
      const { value, comparison = 'in' } = change;
      const order = (item: Item) => compare(item, value);
      const isPulled = {
        lt: (item: Item) => order(item) < 0,
        lte: (item: Item) => order(item) <= 0,
        gt: (item: Item) => order(item) > 0,
        gte: (item: Item) => order(item) >= 0,
        in: isIn([value]),
        nin: (item: Item) => !isIn([value])(item),
        ne: (item: Item) => !isIn([value])(item),
      }[comparison];
      return items.filter((item) => !isPulled(item));
    }
  }
}

function isSame(before: Record<Deed, Permission>, given: Partial<Record<Deed, Permission>> | undefined): boolean {
  const named = (permission: Permission) => {
    const those = 'ids' in permission ? permission.ids : 'groups' in permission ? permission.groups : [];
    return JSON.stringify([permission.access, [...new Set<number | string>(those)].sort()]);
  };
  return Object.entries(given ?? {}).every(([deed, permission]) => named(permission) === named(before[deed as Deed]));
}
