import {
  type DirectiveNode,
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Parsed documents are cached, so their nodes are reused. */
const namesByNode = new WeakMap<FieldNode, ReadonlySet<string>>();

/** At any depth, including those excluded by `@skip` or `@include`. */
export function requestedFields({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const sets = fieldNodes.map((node) => {
    const names = namesByNode.get(node) ?? namesBelow(node, fragments);
    namesByNode.set(node, names);
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

/** Whether a field is selected directly below this one, and neither `@skip` nor `@include` excludes it. */
export function isRequested(name: string, { fieldNodes, fragments, variableValues }: GraphQLResolveInfo): boolean {
  const isIn = (selection: SelectionNode): boolean => {
    if (!isIncluded(selection, variableValues)) return false;
    if (selection.kind === Kind.FIELD) return selection.name.value === name;
    const spread = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value]! : selection;
    return spread.selectionSet.selections.some(isIn);
  };
  return fieldNodes.some(({ selectionSet }) => selectionSet?.selections.some(isIn));
}

export function isIncluded(selection: SelectionNode, variables: Record<string, unknown>): boolean {
  return selection.directives?.every((directive) => allows(directive, selection, variables)) ?? true;
}

function allows(directive: DirectiveNode, selection: SelectionNode, variables: Record<string, unknown>): boolean {
  const definition = CONDITIONS.get(directive.name.value);
  if (!definition) return true;
  const condition = directive.arguments?.[0]?.value;
  const known = condition?.kind === Kind.VARIABLE ? variables[condition.name.value] : undefined;
  const isTrue = typeof known === 'boolean' ? known : getDirectiveValues(definition, selection, variables)!.if;
  return isTrue === (definition === GraphQLIncludeDirective);
}

const CONDITIONS = new Map([GraphQLSkipDirective, GraphQLIncludeDirective].map((one) => [one.name, one]));
