import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';

/** Documents are parsed once and kept, so their nodes are. */
const known = new WeakMap<FieldNode, ReadonlySet<string>>();

/** Names of the fields asked for below this one, at any depth, also of those that `@skip` or `@include` leaves out. */
export function requestedFields({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const sets = fieldNodes.map((node) => {
    const names = known.get(node) ?? namesBelow(node, fragments);
    known.set(node, names);
    return names;
  });
  return sets.length === 1 ? sets[0]! : new Set(sets.flatMap((names) => [...names]));
}

function namesBelow({ selectionSet }: FieldNode, fragments: GraphQLResolveInfo['fragments']): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (set: SelectionSetNode | undefined) => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      collect(
        selection.kind === Kind.FRAGMENT_SPREAD
          ? fragments[selection.name.value]!.selectionSet
          : selection.selectionSet,
      );
    }
  };
  collect(selectionSet);
  return names;
}
