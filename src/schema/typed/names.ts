import pluralize from 'pluralize';

export interface ClassNames {
  /** `Car` for the classes `cars`, `Car` and `CARS`. */
  type: string;
  one: string;
  many: string;
}

export function namesOf({ type, one, many }: ClassNames): { types: string[]; operations: string[] } {
  const plural = upperFirst(many);
  return {
    types: [
      type,
      `${type}Filter`,
      `${type}Order`,
      `${type}OrderField`,
      `${type}Input`,
      `${type}Changes`,
      `${type}Increments`,
      `${type}Items`,
      `${type}Pops`,
      `${type}Changed`,
      `${plural}Connection`,
      `${plural}ConnectionEdge`,
    ],
    operations: [
      one,
      many,
      `${many}Connection`,
      `create${type}`,
      `create${plural}`,
      `update${type}`,
      `delete${type}`,
      `delete${plural}`,
      `${one}Changed`,
    ],
  };
}

/** Oldest class first, so that a new class never renames another. On a conflict appends `Record`, then the key. */
export function nameClasses(
  classes: readonly { key: number; name: string }[],
  taken: { types: Iterable<string>; operations: Iterable<string> },
): Map<number, ClassNames> {
  const types = new Set(taken.types);
  const operations = new Set(taken.operations);
  const named = new Map<number, ClassNames>();
  for (const { key, name } of classes) {
    const pascal = pascalCase(name);
    const base = pluralize.singular(pascal) || pascal; // the singular of `s` is empty
    for (const candidate of [base, `${base}Record`, `${base}Record${key}`]) {
      const names = namesFrom(candidate);
      const own = namesOf(names);
      if (own.types.some((one) => types.has(one)) || own.operations.some((one) => operations.has(one))) continue;
      for (const one of own.types) types.add(one);
      for (const one of own.operations) operations.add(one);
      named.set(key, names);
      break;
    }
  }
  return named;
}

function namesFrom(type: string): ClassNames {
  const one = lowerFirst(type);
  const plural = pluralize.plural(one);
  return { type, one, many: plural === one ? `${one}List` : plural };
}

/** A class field of the same name gets a trailing `_`. */
export const OWN_FIELDS = ['id', 'parentId', 'userId', 'owner', 'createdAt', 'updatedAt', 'permissions'] as const;

/** Reserved in filters or enums, or inherited by every input object (`toString`). */
const SPECIAL = ['or', 'and', 'true', 'false', 'null', ...Object.getOwnPropertyNames(Object.prototype)];

export function nameFields(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>([...OWN_FIELDS, ...SPECIAL]);
  const all = new Set(names);
  return new Map(
    names.map((name) => {
      let typed = name;
      while (taken.has(typed) || (typed !== name && all.has(typed))) typed += '_';
      return [name, typed];
    }),
  );
}

/** `car_model` → `CarModel`, `CARS` → `Cars`, `myCars` → `MyCars` */
function pascalCase(name: string): string {
  return name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => upperFirst(/^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word))
    .join('');
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
