import { loadModule, parseSync } from 'pgsql-parser';

// biome-ignore lint/suspicious/noExplicitAny: the parser's tree has hundreds of shapes
type Tree = any;

/** The column that determines the server of a row, by table. */
export type ShardKeys = ReadonlyMap<string, string>;

/** The shard key of one mention of a table, or an equivalent value. */
interface Key {
  table?: string;
  isKnown: boolean;
  number: number;
  /** Belongs to a named query, which its users cannot constrain. */
  isClosed: boolean;
}

/** The columns of a name in FROM. */
type Relation = (column: string) => Key | undefined;

/** Where names are resolved: in the FROM of the query, then in the queries around it. */
interface Scope {
  relations: Map<string, Relation>;
  queries: Map<string, Relation>;
  around: Scope | undefined;
}

interface Rule {
  from: Key[];
  to: Key;
}

await loadModule();

/**
 * @returns mentions of tables whose shard key the statement does not set to a value, as `table` or `table alias`. A
 * value is a parameter, a constant or the key of a mention with a value; not one of a list, because its values can
 * belong to several shards. Only conditions for all rows count: parts of an AND but not of an OR, and conditions of a
 * subquery only for itself. @throws {SqlError} the statement cannot be
 * parsed
 */
export function unplacedTables(sql: string, keys: ShardKeys): string[] {
  return (parseSync(sql) as Tree).stmts.flatMap(({ stmt }: Tree) => new Statement(keys).unplaced(stmt));
}

const VALUE: Key = { isKnown: true, number: 0, isClosed: true };
const ONE_OF_LIST: Key = { isKnown: false, number: 0, isClosed: true };

class Statement {
  readonly #keys: ShardKeys;
  readonly #keysFound: Key[] = [];
  /** Keys with lower numbers belong to outer queries, which an inner query cannot constrain. */
  #floor = 0;
  readonly #rules: Rule[] = [];

  constructor(keys: ShardKeys) {
    this.#keys = keys;
  }

  unplaced(tree: Tree): string[] {
    this.#query(tree, undefined);
    let isChanging = true;
    while (isChanging) {
      isChanging = false;
      for (const { from, to } of this.#rules) {
        if (to.isKnown || !from.every(({ isKnown }) => isKnown)) continue;
        to.isKnown = true;
        isChanging = true;
      }
    }
    return this.#keysFound.filter(({ table, isKnown }) => table && !isKnown).map(({ table }) => table!);
  }

  #query(tree: Tree, around: Scope | undefined): Relation {
    if (tree.SelectStmt) return this.#select(tree.SelectStmt, around);
    if (tree.InsertStmt) return this.#insert(tree.InsertStmt, around);
    if (tree.UpdateStmt) return this.#change(tree.UpdateStmt, tree.UpdateStmt.fromClause, around);
    if (tree.DeleteStmt) return this.#change(tree.DeleteStmt, tree.DeleteStmt.usingClause, around);
    return () => undefined;
  }

  #select(select: Tree, around: Scope | undefined): Relation {
    const scope = this.#open(select, around);
    if (select.op && select.op !== 'SETOP_NONE') {
      const arms = [this.#select(select.larg, scope), this.#select(select.rarg, scope)];
      return (column) => this.#allOf(arms.map((arm) => arm(column)));
    }
    if (select.valuesLists) {
      this.#inner(select.valuesLists, scope);
      return () => ONE_OF_LIST;
    }
    for (const item of select.fromClause ?? []) this.#from(item, scope);
    this.#condition(select.whereClause, scope);
    this.#inner([select.targetList, select.havingClause, select.sortClause, select.limitCount], scope);
    return this.#columns(select.targetList, scope);
  }

  #insert(insert: Tree, around: Scope | undefined): Relation {
    const scope = this.#open(insert, around);
    const table = this.#mention(insert.relation);
    const key = this.#keys.get(insert.relation.relname);
    const place = (insert.cols ?? []).findIndex(({ ResTarget }: Tree) => ResTarget.name === key);
    const source = insert.selectStmt?.SelectStmt;
    if (source) {
      const columns = this.#select(source, scope);
      const given = source.valuesLists ? VALUE : this.#nth(source, place, columns);
      if (key && place >= 0 && given) this.#rule([given], table(key)!);
    }
    const own = {
      ...scope,
      relations: new Map([[insert.relation.alias?.aliasname ?? insert.relation.relname, table]]),
    };
    this.#inner([insert.onConflictClause, insert.returningList, insert.returningClause], own);
    return this.#columns(insert.returningList ?? insert.returningClause?.exprs, own);
  }

  #change(change: Tree, others: Tree[] | undefined, around: Scope | undefined): Relation {
    const scope = this.#open(change, around);
    this.#from({ RangeVar: change.relation }, scope);
    for (const item of others ?? []) this.#from(item, scope);
    this.#condition(change.whereClause, scope);
    this.#inner([change.targetList, change.returningList, change.returningClause], scope);
    return this.#columns(change.returningList ?? change.returningClause?.exprs, scope);
  }

  #open({ withClause }: Tree, around: Scope | undefined): Scope {
    const scope: Scope = { relations: new Map(), queries: new Map(), around };
    for (const { CommonTableExpr: named } of withClause?.ctes ?? []) {
      // A recursive query begins with the columns of its first arm.
      if (withClause.recursive) {
        const begin = named.ctequery.SelectStmt?.larg;
        if (begin) scope.queries.set(named.ctename, new Statement(this.#keys).#select(begin, beside(scope)));
      }
      const first = this.#keysFound.length;
      scope.queries.set(named.ctename, renamed(this.#query(named.ctequery, beside(scope)), named.aliascolnames));
      for (const key of this.#keysFound.slice(first)) key.isClosed = true;
    }
    return scope;
  }

  #from(item: Tree, scope: Scope): void {
    if (item.RangeVar) {
      const { relname, alias } = item.RangeVar;
      const query = item.RangeVar.schemaname ? undefined : lookUp(scope, 'queries', relname);
      scope.relations.set(alias?.aliasname ?? relname, renamed(query ?? this.#mention(item.RangeVar), alias?.colnames));
    } else if (item.RangeSubselect) {
      const { subquery, alias, lateral } = item.RangeSubselect;
      const columns = this.#query(
        subquery,
        lateral ? { ...scope, relations: new Map(scope.relations) } : beside(scope),
      );
      scope.relations.set(alias?.aliasname ?? '', renamed(columns, alias?.colnames));
    } else if (item.RangeFunction) {
      const { functions, alias, coldeflist } = item.RangeFunction;
      this.#inner(functions, scope);
      const names = namesOf(alias?.colnames ?? coldeflist);
      scope.relations.set(alias?.aliasname ?? '', (column) => (names.includes(column) ? ONE_OF_LIST : undefined));
    } else if (item.JoinExpr) {
      const { larg, rarg, usingClause, quals } = item.JoinExpr;
      this.#from(larg, scope);
      const left = new Set(scope.relations.keys());
      this.#from(rarg, scope);
      for (const { String: column } of usingClause ?? []) {
        const sides = [...scope.relations].map(([name, relation]) => [left.has(name), relation(column.sval)] as const);
        const [right] = sides.filter(([isLeft, key]) => !isLeft && key);
        for (const [isLeft, key] of sides) if (isLeft && key && right) this.#same(key, right[1]!);
      }
      this.#condition(quals, scope);
    }
  }

  #mention({ relname, alias }: Tree): Relation {
    const column = this.#keys.get(relname);
    if (!column) return () => undefined;
    const table = alias && alias.aliasname !== relname ? `${relname} ${alias.aliasname}` : relname;
    const key = this.#newKey(table);
    return (asked) => (asked === column ? key : undefined);
  }

  #condition(tree: Tree, scope: Scope): void {
    if (!tree) return;
    if (tree.BoolExpr?.boolop === 'AND_EXPR') {
      for (const part of tree.BoolExpr.args) this.#condition(part, scope);
      return;
    }
    const { A_Expr: compared, SubLink: link } = tree;
    if (isEquality(compared)) {
      this.#equal(compared.lexpr, compared.rexpr, scope);
    } else if (link?.subLinkType === 'ANY_SUBLINK' && !link.operName) {
      const columns = this.#apart(link.subselect, scope);
      const source = link.subselect.SelectStmt;
      for (const [nth, one] of rowOf(link.testexpr).entries()) {
        const [key, given] = [this.#key(one, scope), this.#nth(source, nth, columns)];
        if (key && given) this.#rule([given], key);
      }
      return;
    }
    this.#inner(tree, scope);
  }

  #equal(left: Tree, right: Tree, scope: Scope): void {
    for (const [nth, one] of rowOf(left).entries()) {
      const [key, other] = [this.#key(one, scope), this.#key(rowOf(right)[nth], scope)];
      if (key && other) this.#same(key, other);
    }
  }

  #key(tree: Tree, scope: Scope): Key | undefined {
    if (tree?.ColumnRef) return this.#column(tree.ColumnRef, scope);
    if (tree?.TypeCast) return this.#key(tree.TypeCast.arg, scope);
    if (tree?.SubLink?.subLinkType === 'EXPR_SUBLINK') {
      const source = tree.SubLink.subselect.SelectStmt;
      return this.#nth(source, 0, new Statement(this.#keys).#query(tree.SubLink.subselect, scope));
    }
    return tree && !mentionsColumn(tree) ? VALUE : undefined;
  }

  #column({ fields }: Tree, scope: Scope): Key | undefined {
    const names = fields.map(({ String: name }: Tree) => name?.sval);
    const column = names.at(-1);
    if (names.length > 1) return lookUp(scope, 'relations', names.at(-2))?.(column);
    for (let one: Scope | undefined = scope; one; one = one.around) {
      for (const relation of one.relations.values()) {
        const key = relation(column);
        if (key) return key;
      }
    }
    return undefined;
  }

  #columns(targets: Tree[] | undefined, scope: Scope): Relation {
    return (asked) => {
      for (const { ResTarget: target } of targets ?? []) {
        const field = target.val?.ColumnRef?.fields.at(-1);
        if (field?.A_Star) {
          const [owner] = target.val.ColumnRef.fields;
          const key = this.#column({ fields: [...(owner.String ? [owner] : []), { String: { sval: asked } }] }, scope);
          if (key) return key;
        } else if ((target.name ?? field?.String?.sval) === asked) {
          return this.#key(target.val, scope);
        }
      }
      return undefined;
    };
  }

  #nth(select: Tree, nth: number, columns: Relation): Key | undefined {
    let source = select;
    while (source?.larg) source = source.larg;
    if (source?.valuesLists) return ONE_OF_LIST;
    const target = source?.targetList?.[nth]?.ResTarget;
    const name = target?.name ?? target?.val?.ColumnRef?.fields.at(-1)?.String?.sval;
    if (name) return columns(name);
    return target && !mentionsColumn(target.val) ? VALUE : undefined;
  }

  /** Visits subqueries in expressions, which see outer names but cannot constrain them. */
  #inner(tree: Tree, scope: Scope): void {
    if (!tree || typeof tree !== 'object') return;
    if (tree.SelectStmt) this.#apart(tree, scope);
    else for (const part of Object.values(tree)) this.#inner(part, scope);
  }

  #same(one: Key, other: Key): void {
    this.#rule([one], other);
    this.#rule([other], one);
  }

  #rule(from: Key[], to: Key): void {
    if (!to.isClosed && to.number >= this.#floor) this.#rules.push({ from, to });
  }

  #newKey(table?: string): Key {
    const key: Key = { ...(table && { table }), isKnown: false, number: this.#keysFound.length, isClosed: false };
    this.#keysFound.push(key);
    return key;
  }

  /** Visits a query that cannot constrain outer keys. */
  #apart(tree: Tree, scope: Scope): Relation {
    const floor = this.#floor;
    this.#floor = this.#keysFound.length;
    const columns = this.#query(tree, scope);
    this.#floor = floor;
    return columns;
  }

  #allOf(keys: (Key | undefined)[]): Key | undefined {
    if (keys.length === 1) return keys[0];
    if (keys.some((key) => !key)) return undefined;
    const all = this.#newKey();
    this.#rule(keys as Key[], all);
    for (const key of keys) this.#rule([all], key!);
    return all;
  }
}

/** The scope of a subquery in FROM, which sees earlier named queries but not that FROM. */
function beside({ queries, around }: Scope): Scope {
  return { relations: new Map(), queries, around };
}

function isEquality(compared: Tree): boolean {
  return compared?.name?.[0]?.String?.sval === '=' && compared.kind === 'AEXPR_OP';
}

function namesOf(columns: Tree[] | undefined): string[] {
  return (columns ?? []).map(({ String: name, ColumnDef: defined }: Tree) => name?.sval ?? defined.colname);
}

function rowOf(tree: Tree): Tree[] {
  return tree?.RowExpr?.args ?? [tree];
}

function lookUp(scope: Scope, kind: 'relations' | 'queries', name: string): Relation | undefined {
  for (let one: Scope | undefined = scope; one; one = one.around) {
    const found = one[kind].get(name);
    if (found) return found;
  }
  return undefined;
}

/** Renamed columns cannot be matched, so none counts as a value. */
function renamed(relation: Relation, names: Tree[] | undefined): Relation {
  return names?.length ? () => undefined : relation;
}

function mentionsColumn(tree: Tree): boolean {
  if (!tree || typeof tree !== 'object') return false;
  if (tree.ColumnRef || tree.SelectStmt) return true;
  return Object.values(tree).some(mentionsColumn);
}
