import { parse } from '@0no-co/graphql.web';
import type { CheckedText, ParsedText } from './check.ts';
import type {
  AbstractSetupSchema,
  configOfSetup,
  FragmentShape,
  getDocumentNode,
  getFragmentsOfDocuments,
  readFragment as ReadFragment,
  schemaOfSetup,
} from './generated/gql-tada.d.ts';
import type { introspection } from './generated/introspection.d.ts';

/** JSON types of the scalars. `DateTime` is ISO 8601 in UTC; `UnixTime` and `Seconds` are integers. */
export interface Scalars {
  ID: string;
  DateTime: string;
  JSON: unknown;
  SafeInt: number;
  Digits: string;
  Flag: boolean;
  UnixTime: number;
  Seconds: number;
  FileContent: string;
}

type SchemaOf<Setup extends AbstractSetupSchema> = schemaOfSetup<Setup>;

/**
 * Creates a document with the types of its variables and result. A document that the service would reject does not
 * compile; the error says why.
 */
export type GraphQL<Setup extends AbstractSetupSchema> = <
  const Text extends string,
  const Fragments extends readonly FragmentShape[] = [],
>(
  document: CheckedText<Text, SchemaOf<Setup>, Fragments>,
  fragments?: Fragments,
) => getDocumentNode<
  ParsedText<Text>,
  SchemaOf<Setup>,
  getFragmentsOfDocuments<Fragments>,
  configOfSetup<Setup>['isMaskingDisabled']
>;

interface Definition {
  kind: string;
  directives?: readonly { name: { value: string } }[];
}

interface Definitions {
  definitions: readonly Definition[];
}

/** `graphql` for the classes of an application: `initGraphQL<{ introspection: introspection; scalars: Scalars }>()`. */
export function initGraphQL<const Setup extends AbstractSetupSchema>(): GraphQL<Setup> {
  const graphql = (text: string, fragments: readonly Definitions[] = []) => {
    const own = (parse(text, { noLocation: true }) as Definitions).definitions.map(withoutUnmask);
    return { kind: 'Document', definitions: [...new Set([...own, ...fragments.flatMap((one) => one.definitions)])] };
  };
  return graphql as unknown as GraphQL<Setup>;
}

/** `@_unmask` is only for the types: the service does not know it. */
function withoutUnmask(definition: Definition): Definition {
  if (definition.kind !== 'FragmentDefinition' || !definition.directives) return definition;
  return { ...definition, directives: definition.directives.filter(({ name }) => name.value !== '_unmask') };
}

export const graphql = /* @__PURE__ */ initGraphQL<{ introspection: introspection; scalars: Scalars }>();

/** Reads the result of a fragment: `readFragment(FRAGMENT, data)`. The result differs only in its type. */
export const readFragment = ((...given: unknown[]) => given.at(-1)) as typeof ReadFragment;
