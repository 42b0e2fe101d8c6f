// Checks the text of a document against the schema, in the type system: `tsc` rejects documents that the service would.
import type { FragmentShape, parseDocument } from './generated/gql-tada.d.ts';

interface Schema {
  query: string;
  mutation?: unknown;
  subscription?: unknown;
  types: Record<string, unknown>;
}

type Fields = Record<string, { name: string; type: unknown; args?: unknown }>;

/** Follows each document, so that the parser only finds it if it understood everything before it. */
type END = '\nfragment End_ on End_ { end_ }';

/** The definitions of a document; `never` after a syntax error. */
type Parsed<Text extends string> = [parseDocument<`${Text}${END}`>] extends [infer Document]
  ? [Document] extends [never]
    ? never
    : Document extends { definitions: readonly [...infer Own, { name: { value: 'End_' } }] }
      ? Own
      : never
  : never;

export type ParsedText<Text extends string> = { kind: 'Document'; definitions: Parsed<Text> };

/** The text itself, or a text that explains what is wrong with it. */
export type CheckedText<Text extends string, S extends Schema, Fragments extends readonly FragmentShape[]> = [
  ProblemOf<Text, S, Fragments>,
] extends [never]
  ? Text
  : ProblemOf<Text, S, Fragments>;

type ProblemOf<Text extends string, S extends Schema, Fragments extends readonly FragmentShape[]> = string extends Text
  ? never // not a literal: the service checks it
  : [Parsed<Text>] extends [never]
    ? 'Syntax error in the document'
    : Parsed<Text> extends readonly []
      ? 'The document is empty'
      : ProblemsOf<Parsed<Text>, S, NamesOf<Parsed<Text>> | NamesOfFragments<Fragments>>;

type ProblemsOf<Definitions, S extends Schema, Spread> = Definitions extends readonly [infer First, ...infer Rest]
  ? DefinitionProblem<First, S, Spread> | ProblemsOf<Rest, S, Spread>
  : never;

type DefinitionProblem<Definition, S extends Schema, Spread> = Definition extends {
  kind: 'OperationDefinition';
  operation: infer Operation;
  variableDefinitions: infer Given;
  selectionSet: { selections: infer Selections };
}
  ? VariableProblem<Given, S> | SelectionsProblem<Selections, RootOf<Operation, S>, S, VariablesOf<Given>, Spread>
  : Definition extends {
        kind: 'FragmentDefinition';
        typeCondition: { name: { value: infer On } };
        selectionSet: { selections: infer Selections };
      }
    ? On extends keyof S['types']
      ? SelectionsProblem<Selections, S['types'][On], S, 'any', Spread>
      : `There is no type '${On & string}'`
    : never;

type RootOf<Operation, S extends Schema> = Operation extends keyof S
  ? S[Operation] extends keyof S['types']
    ? S['types'][S[Operation]]
    : never
  : never;

type NamesOf<Definitions> = Definitions extends readonly [infer First, ...infer Rest]
  ? (First extends { kind: 'FragmentDefinition'; name: { value: infer Name } } ? Name : never) | NamesOf<Rest>
  : never;

type NamesOfFragments<Fragments extends readonly FragmentShape[]> = Fragments[number] extends infer Fragment
  ? Fragment extends FragmentShape<infer Decoration>
    ? Decoration['fragment']
    : never
  : never;

// Variables

type VariablesOf<Given> = Given extends readonly [infer First, ...infer Rest]
  ? (First extends {
      variable: { name: { value: infer Name extends string } };
      type: infer Type;
      defaultValue: infer Default;
    }
      ? { [Key in Name]: { type: Type; hasDefault: Default extends undefined ? false : true } }
      : unknown) &
      VariablesOf<Rest>
  : unknown;

type VariableProblem<Given, S extends Schema> = Given extends readonly [infer First, ...infer Rest]
  ?
      | (First extends { type: infer Type }
          ? NamedOf<Type> extends keyof S['types']
            ? never
            : `There is no type '${NamedOf<Type> & string}'`
          : never)
      | VariableProblem<Rest, S>
  : never;

/** Of a type in a document. */
type NamedOf<Type> = Type extends { kind: 'NamedType'; name: { value: infer Name } }
  ? Name
  : Type extends { type: infer Of }
    ? NamedOf<Of>
    : never;

// Selections

type SelectionsProblem<Selections, Type, S extends Schema, V, Spread> = Selections extends readonly [
  infer First,
  ...infer Rest,
]
  ? SelectionProblem<First, Type, S, V, Spread> | SelectionsProblem<Rest, Type, S, V, Spread>
  : never;

type SelectionProblem<Selection, Type, S extends Schema, V, Spread> = Selection extends {
  kind: 'Field';
  name: { value: infer Name };
  arguments: infer Arguments;
  selectionSet: infer Set;
}
  ? Name extends '__typename'
    ? never
    : Type extends { fields: infer F extends Fields }
      ? Name extends keyof F
        ?
            | ArgumentsProblem<Arguments, F[Name], S, V>
            | SubselectionProblem<Set, NameOf<F[Name]['type']>, Name & string, S, V, Spread>
        : `Type '${NameOf<Type> & string}' has no field '${Name & string}'`
      : never
  : Selection extends {
        kind: 'InlineFragment';
        typeCondition: infer On;
        selectionSet: { selections: infer Selections };
      }
    ? On extends { name: { value: infer OnName } }
      ? OnName extends keyof S['types']
        ? SelectionsProblem<Selections, S['types'][OnName], S, V, Spread>
        : `There is no type '${OnName & string}'`
      : SelectionsProblem<Selections, Type, S, V, Spread>
    : Selection extends { kind: 'FragmentSpread'; name: { value: infer Name } }
      ? Name extends Spread
        ? never
        : `There is no fragment '${Name & string}'`
      : never;

type SubselectionProblem<
  Set,
  TypeName,
  Field extends string,
  S extends Schema,
  V,
  Spread,
> = TypeName extends keyof S['types']
  ? S['types'][TypeName] extends { fields: unknown }
    ? Set extends { selections: infer Selections }
      ? SelectionsProblem<Selections, S['types'][TypeName], S, V, Spread>
      : `Field '${Field}' of type '${TypeName & string}' needs a selection: ${Field} { … }`
    : Set extends undefined
      ? never
      : `Field '${Field}' of type '${TypeName & string}' has no fields to select`
  : never;

/** Of a type in the schema, without lists and nullability. */
type NameOf<Type> = Type extends { ofType: infer Of }
  ? Of extends null
    ? Type extends { name: infer Name }
      ? Name
      : never
    : NameOf<Of>
  : Type extends { name: infer Name }
    ? Name
    : never;

// Arguments

type ArgumentsProblem<Given, Field, S extends Schema, V> = Field extends {
  name: infer Name;
  args: infer Args extends readonly unknown[];
}
  ?
      | GivenProblem<Given, Args[number], `Field '${Name & string}'`, S, V>
      | MissingProblem<Args, Given, `Field '${Name & string}'`>
  : Given extends readonly []
    ? never
    : Field extends { name: infer Name }
      ? `Field '${Name & string}' has no arguments`
      : never;

/** Arguments, or fields of an input object. */
type GivenProblem<Given, Known, Of extends string, S extends Schema, V> = Given extends readonly [
  infer First,
  ...infer Rest,
]
  ?
      | (First extends { name: { value: infer Name }; value: infer Value }
          ? [Extract<Known, { name: Name }>] extends [never]
            ? `${Of} has no argument '${Name & string}'`
            : Extract<Known, { name: Name }> extends { type: infer Type; defaultValue: infer Default }
              ? ValueProblem<Value, Type, Default, Name & string, S, V>
              : never
          : never)
      | GivenProblem<Rest, Known, Of, S, V>
  : never;

type MissingProblem<Known, Given, Of extends string> = Known extends readonly [infer First, ...infer Rest]
  ?
      | (First extends { name: infer Name; type: { kind: 'NON_NULL' }; defaultValue: null }
          ? Given extends readonly unknown[]
            ? [Extract<Given[number], { name: { value: Name } }>] extends [never]
              ? `${Of} needs the argument '${Name & string}'`
              : never
            : never
          : never)
      | MissingProblem<Rest, Given, Of>
  : never;

// Values

type ValueProblem<Value, Type, Default, At extends string, S extends Schema, V> = Value extends {
  kind: 'Variable';
  name: { value: infer Name };
}
  ? V extends 'any'
    ? never
    : Name extends keyof V
      ? V[Name] extends { type: infer Given; hasDefault: infer HasDefault }
        ? VariableFits<Given, Type, HasDefault extends true ? true : Default extends null ? false : true> extends true
          ? never
          : `Variable '$${Name & string}' has the wrong type for '${At}'`
        : never
      : `Variable '$${Name & string}' is not declared`
  : Type extends { kind: 'NON_NULL'; ofType: infer Of }
    ? Value extends { kind: 'NullValue' }
      ? `'${At}' cannot be null`
      : LiteralProblem<Value, Of, At, S, V>
    : Value extends { kind: 'NullValue' }
      ? never
      : LiteralProblem<Value, Type, At, S, V>;

/** Whether a value of a variable's type is valid where `Type` is expected. */
type VariableFits<Given, Type, HasDefault> = Type extends { kind: 'NON_NULL'; ofType: infer Of }
  ? Given extends { kind: 'NonNullType'; type: infer Inner }
    ? VariableFits<Inner, Of, false>
    : HasDefault extends true
      ? VariableFits<Given, Of, false>
      : false
  : Given extends { kind: 'NonNullType'; type: infer Inner }
    ? VariableFits<Inner, Type, false>
    : Type extends { kind: 'LIST'; ofType: infer Of }
      ? Given extends { kind: 'ListType'; type: infer Inner }
        ? VariableFits<Inner, Of, false>
        : false
      : Given extends { kind: 'NamedType'; name: { value: infer Name } }
        ? Type extends { name: Name }
          ? true
          : false
        : false;

interface Literals {
  ID: 'StringValue' | 'IntValue';
  String: 'StringValue';
  Int: 'IntValue';
  Float: 'IntValue' | 'FloatValue';
  Boolean: 'BooleanValue';
}

type LiteralProblem<Value, Type, At extends string, S extends Schema, V> = Type extends {
  kind: 'LIST';
  ofType: infer Of;
}
  ? Value extends { kind: 'ListValue'; values: infer Values }
    ? ItemsProblem<Values, Of, At, S, V>
    : ValueProblem<Value, Of, null, At, S, V>
  : Type extends { kind: 'INPUT_OBJECT'; name: infer Name extends keyof S['types'] }
    ? Value extends { kind: 'ObjectValue'; fields: infer Given }
      ? S['types'][Name] extends { inputFields: infer Known extends readonly unknown[] }
        ?
            | GivenProblem<Given, Known[number], `'${Name & string}'`, S, V>
            | MissingProblem<Known, Given, `'${Name & string}'`>
        : never
      : `'${At}' should be an object of type '${Name & string}'`
    : Type extends { kind: 'ENUM'; name: infer Name extends keyof S['types'] }
      ? Value extends { kind: 'EnumValue'; value: infer Given }
        ? S['types'][Name] extends { enumValues: infer Known }
          ? Given extends Known
            ? never
            : `'${At}' has no value '${Given & string}'`
          : never
        : `'${At}' should be a value of '${Name & string}'`
      : Type extends { kind: 'SCALAR'; name: infer Name }
        ? Name extends keyof Literals
          ? Value extends { kind: Literals[Name] }
            ? never
            : `'${At}' should be of type '${Name}'`
          : never
        : never;

type ItemsProblem<Values, Type, At extends string, S extends Schema, V> = Values extends readonly [
  infer First,
  ...infer Rest,
]
  ? ValueProblem<First, Type, null, At, S, V> | ItemsProblem<Rest, Type, At, S, V>
  : never;
