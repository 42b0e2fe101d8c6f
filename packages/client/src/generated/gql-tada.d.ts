// Generated from gql.tada 1.11.3; do not edit.
/*
MIT License

Copyright (c) 0no.co

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
type DefinitionNode = any;
interface DocumentNode {
  readonly kind: any;
  readonly definitions: readonly any[];
}

type matchOr<Constraint, T, Fallback> = Constraint extends T
  ? Fallback
  : T extends Constraint
    ? T
    : Fallback;
type obj<T> = T extends {
  [key: string | number]: any;
}
  ? {
      [K in keyof T]: T[K];
    }
  : never;
type overload<T> = (T extends any ? (x: T) => void : never) extends (x: infer U) => void
  ? U & T
  : never;
interface DocumentDecoration<Result = any, Variables = any> {
    __apiType?: (variables: Variables) => Result;
    __ensureTypesOfVariablesAndResultMatching?: (variables: Variables) => Result;
}

interface IntrospectionQuery {
    readonly name?: string;
  readonly __schema: IntrospectionSchema;
}
interface IntrospectionSchema {
  readonly queryType: IntrospectionNamedTypeRef;
  readonly mutationType?: IntrospectionNamedTypeRef | null;
  readonly subscriptionType?: IntrospectionNamedTypeRef | null;
  readonly types: readonly any[];
}
interface IntrospectionObjectType {
  readonly kind: 'OBJECT';
  readonly name: string;
  readonly fields: readonly any[];
}
interface IntrospectionInterfaceType {
  readonly kind: 'INTERFACE';
  readonly name: string;
  readonly fields: readonly any[];
  readonly possibleTypes: readonly any[];
}
interface IntrospectionUnionType {
  readonly kind: 'UNION';
  readonly name: string;
  readonly possibleTypes: readonly any[];
}
interface IntrospectionEnumType {
  readonly kind: 'ENUM';
  readonly name: string;
  readonly enumValues: readonly any[];
}
interface IntrospectionInputObjectType {
  readonly kind: 'INPUT_OBJECT';
  readonly name: string;
  readonly isOneOf?: boolean;
  readonly inputFields: readonly any[];
}
interface IntrospectionListTypeRef {
  readonly kind: 'LIST';
  readonly ofType: IntrospectionTypeRef;
}
interface IntrospectionNonNullTypeRef {
  readonly kind: 'NON_NULL';
  readonly ofType: IntrospectionTypeRef;
}
type IntrospectionTypeRef =
  | IntrospectionNamedTypeRef
  | IntrospectionListTypeRef
  | IntrospectionNonNullTypeRef;
interface IntrospectionNamedTypeRef {
  readonly name: string;
}
interface IntrospectionField {
  readonly name: string;
  readonly type: IntrospectionTypeRef;
}
interface DefaultScalars {
  readonly ID: string;
  readonly Boolean: boolean;
  readonly String: string;
  readonly Float: number;
  readonly Int: number;
}
type mapEnum<T extends IntrospectionEnumType> = {
  name: T['name'];
  enumValues: T['enumValues'][number]['name'];
};
type mapField<T> = T extends IntrospectionField
  ? {
      name: T['name'];
      type: T['type'];
    }
  : never;
type mapObject<T extends IntrospectionObjectType> = {
  kind: 'OBJECT';
  name: T['name'];
  fields: obj<{
    [P in T['fields'][number]['name']]: T['fields'][number] extends infer Field
      ? Field extends {
          readonly name: P;
        }
        ? mapField<Field>
        : never
      : never;
  }>;
};
type mapInputObject<T extends IntrospectionInputObjectType> = {
  kind: 'INPUT_OBJECT';
  name: T['name'];
  isOneOf: T['isOneOf'] extends boolean ? T['isOneOf'] : false;
  inputFields: [...T['inputFields']];
};
type mapInterface<T extends IntrospectionInterfaceType> = {
  kind: 'INTERFACE';
  name: T['name'];
  possibleTypes: T['possibleTypes'][number]['name'];
  fields: obj<{
    [P in T['fields'][number]['name']]: T['fields'][number] extends infer Field
      ? Field extends {
          readonly name: P;
        }
        ? mapField<Field>
        : never
      : never;
  }>;
};
type mapUnion<T extends IntrospectionUnionType> = {
  kind: 'UNION';
  name: T['name'];
  fields: {};
  possibleTypes: T['possibleTypes'][number]['name'];
};
type mapType<Type> = Type extends IntrospectionEnumType
  ? mapEnum<Type>
  : Type extends IntrospectionObjectType
    ? mapObject<Type>
    : Type extends IntrospectionInterfaceType
      ? mapInterface<Type>
      : Type extends IntrospectionUnionType
        ? mapUnion<Type>
        : Type extends IntrospectionInputObjectType
          ? mapInputObject<Type>
          : unknown;
type mapIntrospectionTypes<Query extends IntrospectionQuery> = obj<{
  [P in Query['__schema']['types'][number]['name']]: Query['__schema']['types'][number] extends infer Type
    ? Type extends {
        readonly name: P;
      }
      ? mapType<Type>
      : never
    : never;
}>;
type mapIntrospectionScalarTypes<Scalars extends ScalarsLike = DefaultScalars> = obj<{
  [P in keyof Scalars | keyof DefaultScalars]: {
    name: P;
    type: P extends keyof Scalars
      ? Scalars[P]
      : P extends keyof DefaultScalars
        ? DefaultScalars[P]
        : never;
  };
}>;
type mapIntrospection<Query extends IntrospectionLikeInput> = Query extends IntrospectionQuery
  ? {
      name: Query['name'];
      query: Query['__schema']['queryType']['name'];
      mutation: Query['__schema']['mutationType'] extends {
        name: string;
      }
        ? Query['__schema']['mutationType']['name']
        : never;
      subscription: Query['__schema']['subscriptionType'] extends {
        name: string;
      }
        ? Query['__schema']['subscriptionType']['name']
        : never;
      types: mapIntrospectionTypes<Query>;
    }
  : Query;
type addIntrospectionScalars<
  Schema extends SchemaLike,
  Scalars extends ScalarsLike = DefaultScalars,
> = {
  name: Schema['name'];
  query: Schema['query'];
  mutation: Schema['mutation'];
  subscription: Schema['subscription'];
  types: mapIntrospectionScalarTypes<Scalars> & Schema['types'];
};
type IntrospectionLikeInput = SchemaLike | IntrospectionQuery;
type ScalarsLike = {
  readonly [name: string]: any;
};
type SchemaLike = {
  name?: any;
  query: string;
  mutation?: any;
  subscription?: any;
  types: {
    [name: string]: any;
  };
};

declare const enum Token {
  Name = 0,
  Var = 1,
  Directive = 2,
  Spread = 3,
  Exclam = 4,
  Equal = 5,
  Colon = 6,
  BraceOpen = 7,
  BraceClose = 8,
  ParenOpen = 9,
  ParenClose = 10,
  BracketOpen = 11,
  BracketClose = 12,
  BlockString = 13,
  String = 14,
  Integer = 15,
  Float = 16,
}
interface _match$1<Out extends string, In extends string> {
  out: Out;
  in: In;
}
type ignored = ' ' | '\n' | '\t' | '\r' | ',' | '\ufeff';
type digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';
type letter =
  | 'A'
  | 'B'
  | 'C'
  | 'D'
  | 'E'
  | 'F'
  | 'G'
  | 'H'
  | 'I'
  | 'J'
  | 'K'
  | 'L'
  | 'M'
  | 'N'
  | 'O'
  | 'P'
  | 'Q'
  | 'R'
  | 'S'
  | 'T'
  | 'U'
  | 'V'
  | 'W'
  | 'X'
  | 'Y'
  | 'Z'
  | 'a'
  | 'b'
  | 'c'
  | 'd'
  | 'e'
  | 'f'
  | 'g'
  | 'h'
  | 'i'
  | 'j'
  | 'k'
  | 'l'
  | 'm'
  | 'n'
  | 'o'
  | 'p'
  | 'q'
  | 'r'
  | 's'
  | 't'
  | 'u'
  | 'v'
  | 'w'
  | 'x'
  | 'y'
  | 'z';
type skipIgnored<In> = In extends `#${infer _}\n${infer In}`
  ? skipIgnored<In>
  : In extends `#${infer _}`
    ? ''
    : In extends ` ${infer In}`
      ? skipIgnored<In>
      : In extends `\n${infer In}`
        ? skipIgnored<In>
        : In extends `\t${infer In}`
          ? skipIgnored<In>
          : In extends `\r${infer In}`
            ? skipIgnored<In>
            : In extends `,${infer In}`
              ? skipIgnored<In>
              : In extends `\ufeff${infer In}`
                ? skipIgnored<In>
                : In;
type skipDigits<In> = In extends `${digit}${infer In}` ? skipDigits<In> : In;
type skipFloat<In> = In extends `${'.'}${infer In}`
  ? skipDigits<In> extends `${'e' | 'E'}${infer In}`
    ? skipDigits<In extends `${'+' | '-'}${infer In}` ? In : In>
    : skipDigits<In>
  : skipDigits<In> extends `${'e' | 'E'}${infer In}`
    ? skipDigits<In extends `${'+' | '-'}${infer In}` ? In : In>
    : void;
type skipBlockString<In> = In extends `${infer Hd}${'"""'}${infer In}`
  ? Hd extends `${string}${'\\'}`
    ? skipBlockString<In>
    : In
  : In;
type skipString<In> = In extends `${infer Hd}${'"'}${infer In}`
  ? Hd extends `${string}${'\\'}`
    ? skipString<In>
    : In
  : In;
type takeNameLiteralRec<
  PrevMatch extends string,
  In extends string,
> = In extends `${infer Match}${infer Out}`
  ? Match extends letter | digit | '_'
    ? takeNameLiteralRec<`${PrevMatch}${Match}`, Out>
    : _match$1<PrevMatch, In>
  : _match$1<PrevMatch, In>;
interface VarTokenNode<Name extends string = string> {
  kind: Token.Var;
  name: Name;
}
interface NameTokenNode<Name extends string = string> {
  kind: Token.Name;
  name: Name;
}
interface DirectiveTokenNode<Name extends string = string> {
  kind: Token.Directive;
  name: Name;
}
type TokenNode = Token | NameTokenNode | VarTokenNode | DirectiveTokenNode;
interface _state<In extends string, Out extends TokenNode[]> {
  out: Out;
  in: In;
}
interface _punctuator {
  '!': Token.Exclam;
  '=': Token.Equal;
  ':': Token.Colon;
  '{': Token.BraceOpen;
  '}': Token.BraceClose;
  '(': Token.ParenOpen;
  ')': Token.ParenClose;
  '[': Token.BracketOpen;
  ']': Token.BracketClose;
}
type tokenizeStep<State> =
  State extends _state<'', any>
    ? State
    : State extends _state<infer In, infer Out>
      ? In extends `#${string}`
        ? _state<skipIgnored<In>, Out>
        : In extends `${infer Char}${infer Rest}`
          ? Char extends ignored
            ? _state<skipIgnored<In>, Out>
            : Char extends keyof _punctuator
              ? _state<Rest, [...Out, _punctuator[Char]]>
              : Char extends '"'
                ? In extends `"""${infer In}`
                  ? _state<skipBlockString<In>, [...Out, Token.BlockString]>
                  : In extends `"${infer In}`
                    ? _state<skipString<In>, [...Out, Token.String]>
                    : void
                : Char extends '.'
                  ? In extends `...${infer In}`
                    ? _state<In, [...Out, Token.Spread]>
                    : void
                  : Char extends '$'
                    ? takeNameLiteralRec<'', Rest> extends _match$1<infer Match, infer In>
                      ? _state<In, [...Out, VarTokenNode<Match>]>
                      : void
                    : Char extends '@'
                      ? takeNameLiteralRec<'', Rest> extends _match$1<infer Match, infer In>
                        ? _state<In, [...Out, DirectiveTokenNode<Match>]>
                        : void
                      : Char extends '-' | digit
                        ? In extends `-${digit}${infer In}`
                          ? skipFloat<skipDigits<In>> extends `${infer In}`
                            ? _state<In, [...Out, Token.Float]>
                            : _state<skipDigits<In>, [...Out, Token.Integer]>
                          : In extends `${digit}${infer In}`
                            ? skipFloat<skipDigits<In>> extends `${infer In}`
                              ? _state<In, [...Out, Token.Float]>
                              : _state<skipDigits<In>, [...Out, Token.Integer]>
                            : void
                        : Char extends letter | '_'
                          ? takeNameLiteralRec<Char, Rest> extends _match$1<infer Match, infer In>
                            ? _state<In, [...Out, NameTokenNode<Match>]>
                            : void
                          : void
          : void
      : void;
type tokenizeStep4<State> = tokenizeStep<tokenizeStep<tokenizeStep<tokenizeStep<State>>>>;
type tokenizeRec<State> =
  State extends _state<'', any>
    ? State['out']
    : State extends _state<any, any>
      ? tokenizeRec<tokenizeStep4<State>>
      : [];
type tokenize<In extends string> = tokenizeRec<_state<In, []>>;

interface _match<Out, In extends any[]> {
  out: Out;
  in: In;
}
interface _match2<Out1, Out2, In extends any[]> {
  out1: Out1;
  out2: Out2;
  in: In;
}
type takeOptionalName<In extends any[]> = In extends [
  {
    kind: Token.Name;
    name: infer Name;
  },
  ...infer In,
]
  ? _match<
      {
        kind: 'Name';
        value: Name;
      },
      In
    >
  : _match<undefined, In>;
type takeValue<In extends any[], Const extends boolean> = In extends [infer Head, ...infer In]
  ? Head extends Token.Float
    ? _match<
        {
          kind: 'FloatValue';
          value: string;
        },
        In
      >
    : Head extends Token.Integer
      ? _match<
          {
            kind: 'IntValue';
            value: string;
          },
          In
        >
      : Head extends Token.String
        ? _match<
            {
              kind: 'StringValue';
              value: string;
              block: false;
            },
            In
          >
        : Head extends Token.BlockString
          ? _match<
              {
                kind: 'StringValue';
                value: string;
                block: true;
              },
              In
            >
          : Head extends {
                kind: Token.Name;
                name: infer Name;
              }
            ? Name extends 'null'
              ? _match<
                  {
                    kind: 'NullValue';
                  },
                  In
                >
              : Name extends 'true' | 'false'
                ? _match<
                    {
                      kind: 'BooleanValue';
                      value: boolean;
                    },
                    In
                  >
                : _match<
                    {
                      kind: 'EnumValue';
                      value: Name;
                    },
                    In
                  >
            : Head extends Token.BracketOpen
              ? takeListRec<[], In, Const>
              : Head extends Token.BraceOpen
                ? takeObjectRec<[], In, Const>
                : Const extends false
                  ? Head extends {
                      kind: Token.Var;
                      name: infer Name;
                    }
                    ? _match<
                        {
                          kind: 'Variable';
                          name: {
                            kind: 'Name';
                            value: Name;
                          };
                        },
                        In
                      >
                    : void
                  : void
  : void;
type takeListRec<Nodes extends any[], In extends any[], Const extends boolean> = In extends [
  Token.BracketClose,
  ...infer In,
]
  ? _match<
      {
        kind: 'ListValue';
        values: Nodes;
      },
      In
    >
  : takeValue<In, Const> extends _match<infer Node, infer In>
    ? takeListRec<[...Nodes, Node], In, Const>
    : void;
type takeObjectField<In extends any[], Const extends boolean> = In extends [
  {
    kind: Token.Name;
    name: infer FieldName;
  },
  Token.Colon,
  ...infer In,
]
  ? takeValue<In, Const> extends _match<infer Value, infer In>
    ? _match<
        {
          kind: 'ObjectField';
          name: {
            kind: 'Name';
            value: FieldName;
          };
          value: Value;
        },
        In
      >
    : void
  : void;
type takeObjectRec<Fields extends any[], In extends any[], Const extends boolean> = In extends [
  Token.BraceClose,
  ...infer In,
]
  ? _match<
      {
        kind: 'ObjectValue';
        fields: Fields;
      },
      In
    >
  : takeObjectField<In, Const> extends _match<infer Field, infer In>
    ? takeObjectRec<[...Fields, Field], In, Const>
    : void;
type takeArgument<In extends any[], Const extends boolean> = In extends [
  {
    kind: Token.Name;
    name: infer ArgName;
  },
  Token.Colon,
  ...infer In,
]
  ? takeValue<In, Const> extends _match<infer Value, infer In>
    ? _match<
        {
          kind: 'Argument';
          name: {
            kind: 'Name';
            value: ArgName;
          };
          value: Value;
        },
        In
      >
    : void
  : void;
type _takeArgumentsRec<
  Arguments extends any[],
  In extends any[],
  Const extends boolean,
> = In extends [Token.ParenClose, ...infer In]
  ? _match<Arguments, In>
  : takeArgument<In, Const> extends _match<infer Argument, infer In>
    ? _takeArgumentsRec<[...Arguments, Argument], In, Const>
    : void;
type takeArguments<In extends any[], Const extends boolean> = In extends [
  Token.ParenOpen,
  ...infer In,
]
  ? _takeArgumentsRec<[], In, Const>
  : _match<[], In>;
type takeDirective<In extends any[], Const extends boolean> = In extends [
  {
    kind: Token.Directive;
    name: infer DirectiveName;
  },
  ...infer In,
]
  ? takeArguments<In, Const> extends _match<infer Arguments, infer In>
    ? _match<
        {
          kind: 'Directive';
          name: {
            kind: 'Name';
            value: DirectiveName;
          };
          arguments: Arguments;
        },
        In
      >
    : void
  : void;
type takeDirectives<
  In extends any[],
  Const extends boolean,
  Directives extends any[] = [],
> = In extends [
  {
    kind: Token.Directive;
  },
  ...any[],
]
  ? takeDirective<In, Const> extends _match<infer Directive, infer In>
    ? takeDirectives<In, Const, [...Directives, Directive]>
    : _match<Directives, In>
  : _match<Directives, In>;
type _takeFieldName<In extends any[]> = In extends [
  {
    kind: Token.Name;
    name: infer MaybeAlias;
  },
  ...infer In,
]
  ? In extends [
      Token.Colon,
      {
        kind: Token.Name;
        name: infer Name;
      },
      ...infer In,
    ]
    ? _match2<
        {
          kind: 'Name';
          value: MaybeAlias;
        },
        {
          kind: 'Name';
          value: Name;
        },
        In
      >
    : _match2<
        undefined,
        {
          kind: 'Name';
          value: MaybeAlias;
        },
        In
      >
  : void;
type _takeField<In extends any[]> =
  _takeFieldName<In> extends _match2<infer Alias, infer Name, infer In>
    ? takeArguments<In, false> extends _match<infer Arguments, infer In>
      ? takeDirectives<In, false> extends _match<infer Directives, infer In>
        ? In extends [Token.BraceOpen, ...any[]]
          ? takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
            ? _match<
                {
                  kind: 'Field';
                  alias: Alias;
                  name: Name;
                  arguments: Arguments;
                  directives: Directives;
                  selectionSet: SelectionSet;
                },
                In
              >
            : void
          : _match<
              {
                kind: 'Field';
                alias: Alias;
                name: Name;
                arguments: Arguments;
                directives: Directives;
                selectionSet: undefined;
              },
              In
            >
        : void
      : void
    : void;
type _takeFragmentSpread<In extends any[]> = In extends [Token.Spread, ...infer In]
  ? In extends [
      {
        kind: Token.Name;
        name: 'on';
      },
      {
        kind: Token.Name;
        name: infer Type;
      },
      ...infer In,
    ]
    ? takeDirectives<In, false> extends _match<infer Directives, infer In>
      ? takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
        ? _match<
            {
              kind: 'InlineFragment';
              typeCondition: {
                kind: 'NamedType';
                name: {
                  kind: 'Name';
                  value: Type;
                };
              };
              directives: Directives;
              selectionSet: SelectionSet;
            },
            In
          >
        : void
      : void
    : In extends [
          {
            kind: Token.Name;
            name: infer Name;
          },
          ...infer In,
        ]
      ? takeDirectives<In, false> extends _match<infer Directives, infer In>
        ? _match<
            {
              kind: 'FragmentSpread';
              name: {
                kind: 'Name';
                value: Name;
              };
              directives: Directives;
            },
            In
          >
        : void
      : takeDirectives<In, false> extends _match<infer Directives, infer In>
        ? takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
          ? _match<
              {
                kind: 'InlineFragment';
                typeCondition: undefined;
                directives: Directives;
                selectionSet: SelectionSet;
              },
              In
            >
          : void
        : void
  : void;
type takeType<In extends any[]> = In extends [Token.BracketOpen, ...infer In]
  ? takeType<In> extends _match<infer Subtype, infer In>
    ? In extends [Token.BracketClose, ...infer In]
      ? In extends [Token.Exclam, ...infer In]
        ? _match<
            {
              kind: 'NonNullType';
              type: {
                kind: 'ListType';
                type: Subtype;
              };
            },
            In
          >
        : _match<
            {
              kind: 'ListType';
              type: Subtype;
            },
            In
          >
      : void
    : void
  : In extends [
        {
          kind: Token.Name;
          name: infer Name;
        },
        ...infer In,
      ]
    ? In extends [Token.Exclam, ...infer In]
      ? _match<
          {
            kind: 'NonNullType';
            type: {
              kind: 'NamedType';
              name: {
                kind: 'Name';
                value: Name;
              };
            };
          },
          In
        >
      : _match<
          {
            kind: 'NamedType';
            name: {
              kind: 'Name';
              value: Name;
            };
          },
          In
        >
    : void;
type _takeSelectionRec<Selections extends any[], In extends any[]> = In extends [
  {
    kind: Token.Name;
  },
  ...any[],
]
  ? _takeField<In> extends _match<infer Selection, infer In>
    ? _takeSelectionRec<[...Selections, Selection], In>
    : void
  : In extends [Token.Spread, ...any[]]
    ? _takeFragmentSpread<In> extends _match<infer Selection, infer In>
      ? _takeSelectionRec<[...Selections, Selection], In>
      : void
    : In extends [Token.BraceClose, ...infer In]
      ? _match<
          {
            kind: 'SelectionSet';
            selections: Selections;
          },
          In
        >
      : void;
type takeSelectionSet<In extends any[]> = In extends [Token.BraceOpen, ...infer In]
  ? _takeSelectionRec<[], In>
  : void;
type takeVarDefinition<In extends any[]> = In extends [
  {
    kind: Token.Var;
    name: infer VarName;
  },
  Token.Colon,
  ...infer In,
]
  ? takeType<In> extends _match<infer Type, infer In>
    ? In extends [Token.Equal, ...infer In]
      ? takeValue<In, true> extends _match<infer DefaultValue, infer In>
        ? takeDirectives<In, true> extends _match<infer Directives, infer In>
          ? _match<
              {
                kind: 'VariableDefinition';
                variable: {
                  kind: 'Variable';
                  name: {
                    kind: 'Name';
                    value: VarName;
                  };
                };
                type: Type;
                defaultValue: DefaultValue;
                directives: Directives;
              },
              In
            >
          : void
        : void
      : takeDirectives<In, true> extends _match<infer Directives, infer In>
        ? _match<
            {
              kind: 'VariableDefinition';
              variable: {
                kind: 'Variable';
                name: {
                  kind: 'Name';
                  value: VarName;
                };
              };
              type: Type;
              defaultValue: undefined;
              directives: Directives;
            },
            In
          >
        : void
    : void
  : void;
type _takeVarDefinitionRec<Definitions extends any[], In extends any[]> = In extends [
  Token.ParenClose,
  ...infer In,
]
  ? _match<Definitions, In>
  : In extends [
        {
          kind: Token.Var;
        },
        ...any[],
      ]
    ? takeVarDefinition<In> extends _match<infer Definition, infer In>
      ? _takeVarDefinitionRec<[...Definitions, Definition], In>
      : _match<Definitions, In>
    : In extends [Token.String | Token.BlockString, ...infer In]
      ? _takeVarDefinitionRec<[...Definitions], In>
      : _match<Definitions, In>;
type takeVarDefinitions<In extends any[]> = In extends [Token.ParenOpen, ...infer In]
  ? _takeVarDefinitionRec<[], In>
  : _match<[], In>;
type takeFragmentDefinition<In extends any[]> = In extends [
  {
    kind: Token.Name;
    name: 'fragment';
  },
  {
    kind: Token.Name;
    name: infer Name;
  },
  {
    kind: Token.Name;
    name: 'on';
  },
  {
    kind: Token.Name;
    name: infer Type;
  },
  ...infer In,
]
  ? takeDirectives<In, true> extends _match<infer Directives, infer In>
    ? takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
      ? _match<
          {
            kind: 'FragmentDefinition';
            name: {
              kind: 'Name';
              value: Name;
            };
            typeCondition: {
              kind: 'NamedType';
              name: {
                kind: 'Name';
                value: Type;
              };
            };
            directives: Directives;
            selectionSet: SelectionSet;
          },
          In
        >
      : void
    : void
  : void;
type takeOperation<In extends any[]> = In extends [
  {
    kind: Token.Name;
    name: infer Operation;
  },
  ...infer In,
]
  ? Operation extends 'query'
    ? _match<'query', In>
    : Operation extends 'mutation'
      ? _match<'mutation', In>
      : Operation extends 'subscription'
        ? _match<'subscription', In>
        : void
  : void;
type takeOperationDefinition<In extends any[]> =
  takeOperation<In> extends _match<infer Operation, infer In>
    ? takeOptionalName<In> extends _match<infer Name, infer In>
      ? takeVarDefinitions<In> extends _match<infer VarDefinitions, infer In>
        ? takeDirectives<In, false> extends _match<infer Directives, infer In>
          ? takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
            ? _match<
                {
                  kind: 'OperationDefinition';
                  operation: Operation;
                  name: Name;
                  variableDefinitions: VarDefinitions;
                  directives: Directives;
                  selectionSet: SelectionSet;
                },
                In
              >
            : void
          : void
        : void
      : void
    : takeSelectionSet<In> extends _match<infer SelectionSet, infer In>
      ? _match<
          {
            kind: 'OperationDefinition';
            operation: 'query';
            name: undefined;
            variableDefinitions: [];
            directives: [];
            selectionSet: SelectionSet;
          },
          In
        >
      : void;
type _takeDocumentRec<Definitions extends any[], In extends any[]> = In extends [
  {
    kind: Token.Name;
    name: 'fragment';
  },
  ...any[],
]
  ? takeFragmentDefinition<In> extends _match<infer Definition, infer In>
    ? _takeDocumentRec<[...Definitions, Definition], In>
    : _match<Definitions, In>
  : In extends [
        {
          kind: Token.Name;
          name: 'query' | 'mutation' | 'subscription';
        },
        ...any[],
      ]
    ? takeOperationDefinition<In> extends _match<infer Definition, infer In>
      ? _takeDocumentRec<[...Definitions, Definition], In>
      : _match<Definitions, In>
    : In extends [Token.BraceOpen, ...any[]]
      ? takeOperationDefinition<In> extends _match<infer Definition, infer In>
        ? _takeDocumentRec<[...Definitions, Definition], In>
        : _match<Definitions, In>
      : In extends [Token.String | Token.BlockString, ...infer In]
        ? _takeDocumentRec<[...Definitions], In>
        : _match<Definitions, In>;
type parseDocument<In extends string> =
  _takeDocumentRec<[], tokenize<In>> extends _match<[...infer Definitions], any>
    ? Definitions extends []
      ? never
      : {
          kind: 'Document';
          definitions: Definitions;
        }
    : never;
type DocumentNodeLike = {
  kind: 'Document';
  definitions: readonly any[];
};

declare namespace $tada {
  const fragmentRefs: unique symbol;
  type fragmentRefs = typeof fragmentRefs;
  const definition: unique symbol;
  type definition = typeof definition;
  const ref: unique symbol;
  type ref = typeof ref;
}
interface FragmentDefDecorationLike {
  fragment: any;
  on: any;
  masked: any;
}
type isMaskedRec<Directives extends readonly unknown[] | undefined> = Directives extends readonly [
  infer Directive,
  ...infer Rest,
]
  ? Directive extends {
      kind: 'Directive';
      name: any;
    }
    ? Directive['name']['value'] extends '_unmask'
      ? false
      : isMaskedRec<Rest>
    : isMaskedRec<Rest>
  : true;
type decorateFragmentDef<
  Document extends DocumentNodeLike,
  isMaskingDisabled = false,
> = Document['definitions'][0] extends {
  kind: 'FragmentDefinition';
  name: any;
}
  ? {
      fragment: Document['definitions'][0]['name']['value'];
      on: Document['definitions'][0]['typeCondition']['name']['value'];
      masked: isMaskingDisabled extends true
        ? false
        : isMaskedRec<Document['definitions'][0]['directives']>;
    }
  : void;
type getFragmentsOfDocuments<Documents extends readonly FragmentShape[]> = overload<
  Documents[number] extends infer Document
    ? Document extends FragmentShape<infer Definition>
      ? {
          [P in Definition['fragment']]: {
            kind: 'FragmentDefinition';
            name: {
              kind: 'Name';
              value: Definition['fragment'];
            };
            typeCondition: {
              kind: 'NamedType';
              name: {
                kind: 'Name';
                value: Definition['on'];
              };
            };
            [$tada.ref]: makeFragmentRef<Document>;
          };
        }
      : never
    : never
>;
type makeFragmentRef<Document> =
  Document extends FragmentShape<infer Definition, infer Result>
    ? Definition['masked'] extends false
      ? Result
      : {
          [$tada.fragmentRefs]: {
            [Name in Definition['fragment']]: Definition['on'];
          };
        }
    : never;
type omitFragmentRefsRec<Data> = Data extends readonly (infer Value)[]
  ? readonly omitFragmentRefsRec<Value>[]
  : Data extends null
    ? null
    : Data extends undefined
      ? undefined
      : Data extends {}
        ? {
            [Key in Exclude<keyof Data, $tada.fragmentRefs>]: omitFragmentRefsRec<Data[Key]>;
          }
        : Data;
interface makeUndefinedFragmentRef<FragmentName extends string> {
  [$tada.fragmentRefs]: {
    [Name in FragmentName]: 'Undefined Fragment';
  };
}
interface DefinitionDecoration<Definition = FragmentDefDecorationLike> {
  [$tada.definition]?: Definition;
}
interface FragmentShape<
  Definition extends FragmentDefDecorationLike = FragmentDefDecorationLike,
  Result = unknown,
> extends DocumentDecoration<Result>,
    DefinitionDecoration<Definition> {}

type ObjectLikeType = {
  kind: 'OBJECT' | 'INTERFACE' | 'UNION';
  name: string;
  fields: {
    [key: string]: any;
  };
};
type narrowTypename<T, Typename> = '__typename' extends keyof T
  ? T extends {
      __typename?: Typename;
    }
    ? T
    : never
  : T;
type unwrapTypeRec$1<
  Type,
  SelectionSet,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
  IsOptional,
> = Type extends {
  readonly kind: 'NON_NULL';
  readonly ofType: any;
}
  ? unwrapTypeRec$1<
      Type['ofType'],
      SelectionSet,
      Introspection,
      Fragments,
      IsOptional extends void ? false : IsOptional
    >
  : Type extends {
        readonly kind: 'LIST';
        readonly ofType: any;
      }
    ? IsOptional extends false
      ? Array<unwrapTypeRec$1<Type['ofType'], SelectionSet, Introspection, Fragments, void>>
      : null | Array<unwrapTypeRec$1<Type['ofType'], SelectionSet, Introspection, Fragments, void>>
    : Type extends {
          readonly name: string;
        }
      ? Introspection['types'][Type['name']] extends ObjectLikeType
        ? SelectionSet extends {
            kind: 'SelectionSet';
            selections: any;
          }
          ? IsOptional extends false
            ? getSelection<
                SelectionSet['selections'],
                Introspection['types'][Type['name']],
                Introspection,
                Fragments
              >
            : null | getSelection<
                SelectionSet['selections'],
                Introspection['types'][Type['name']],
                Introspection,
                Fragments
              >
          : unknown
        : Introspection['types'][Type['name']] extends {
              type: any;
            }
          ? IsOptional extends false
            ? Introspection['types'][Type['name']]['type']
            : Introspection['types'][Type['name']]['type'] | null
          : IsOptional extends false
            ? Introspection['types'][Type['name']]['enumValues']
            : Introspection['types'][Type['name']]['enumValues'] | null
      : unknown;
type getTypeDirective<Node> = Node extends {
  directives: any[];
}
  ? Node['directives'][number]['name']['value'] & ('required' | '_required') extends never
    ? Node['directives'][number]['name']['value'] & ('optional' | '_optional') extends never
      ? void
      : true
    : false
  : void;
type isOptional<Node> = Node extends {
  directives: any[];
}
  ? Node['directives'][number]['name']['value'] & ('include' | 'skip' | 'defer') extends never
    ? false
    : true
  : false;
type getFieldAlias<Node> = Node extends {
  alias: undefined;
  name: any;
}
  ? Node['name']['value']
  : Node extends {
        alias: any;
      }
    ? Node['alias']['value']
    : never;
type getFragmentSelection<
  Node,
  PossibleType extends string,
  Type extends ObjectLikeType,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
> = Node extends {
  kind: 'InlineFragment';
  selectionSet: any;
}
  ? getPossibleTypeSelectionRec<
      Node['selectionSet']['selections'],
      PossibleType,
      Type,
      Introspection,
      Fragments
    >
  : Node extends {
        kind: 'FragmentSpread';
        name: any;
      }
    ? Node['name']['value'] extends keyof Fragments
      ? Fragments[Node['name']['value']] extends {
          [$tada.ref]: any;
        }
        ? Type extends {
            kind: 'INTERFACE';
            name: any;
          }
          ? narrowTypename<Fragments[Node['name']['value']][$tada.ref], PossibleType>
          : Fragments[Node['name']['value']][$tada.ref]
        : getPossibleTypeSelectionRec<
            Fragments[Node['name']['value']]['selectionSet']['selections'],
            PossibleType,
            Type,
            Introspection,
            Fragments
          >
      : never
    : never;
type getSpreadSubtype<
  Node,
  BaseType extends ObjectLikeType,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
> = Node extends {
  kind: 'InlineFragment';
  typeCondition?: any;
}
  ? Node['typeCondition'] extends {
      kind: 'NamedType';
      name: any;
    }
    ? Introspection['types'][Node['typeCondition']['name']['value']]
    : BaseType
  : Node extends {
        kind: 'FragmentSpread';
        name: any;
      }
    ? Node['name']['value'] extends keyof Fragments
      ? Introspection['types'][Fragments[Node['name']['value']]['typeCondition']['name']['value']]
      : void
    : void;
type getTypenameOfType<Type> =
  | (Type extends {
      name: any;
    }
      ? Type['name']
      : never)
  | (Type extends {
      possibleTypes: any;
    }
      ? Type['possibleTypes']
      : never);
type getSelection<
  Selections,
  Type extends ObjectLikeType,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
> = Type extends {
  kind: 'UNION' | 'INTERFACE';
  possibleTypes: any;
}
  ? {
      [PossibleType in Type['possibleTypes']]: getPossibleTypeSelectionRec<
        Selections,
        PossibleType,
        Type,
        Introspection,
        Fragments,
        typeSelectionResult<{
          __typename?: PossibleType;
        }>
      >;
    }[Type['possibleTypes']]
  : Type extends {
        kind: 'OBJECT';
        name: any;
      }
    ? getPossibleTypeSelectionRec<Selections, Type['name'], Type, Introspection, Fragments>
    : {};
interface typeSelectionResult<Fields extends {} = {}, Rest = unknown> {
  fields: Fields;
  rest: Rest;
}
type getPossibleTypeSelectionRec<
  Selections,
  PossibleType extends string,
  Type extends ObjectLikeType,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
  SelectionAcc extends typeSelectionResult = typeSelectionResult,
> = Selections extends [infer Node, ...infer Rest]
  ? getPossibleTypeSelectionRec<
      Rest,
      PossibleType,
      Type,
      Introspection,
      Fragments,
      Node extends {
        kind: 'FragmentSpread' | 'InlineFragment';
      }
        ? getSpreadSubtype<Node, Type, Introspection, Fragments> extends infer Subtype extends
            ObjectLikeType
          ? PossibleType extends getTypenameOfType<Subtype>
            ? isOptional<Node> extends true
              ? typeSelectionResult<
                  SelectionAcc['fields'],
                  SelectionAcc['rest'] &
                    (
                      | {}
                      | getFragmentSelection<Node, PossibleType, Subtype, Introspection, Fragments>
                    )
                >
              : typeSelectionResult<
                  SelectionAcc['fields'] &
                    getFragmentSelection<Node, PossibleType, Subtype, Introspection, Fragments>,
                  SelectionAcc['rest']
                >
            : SelectionAcc
          : Node extends {
                kind: 'FragmentSpread';
                name: any;
              }
            ? typeSelectionResult<
                SelectionAcc['fields'] & makeUndefinedFragmentRef<Node['name']['value']>,
                SelectionAcc['rest']
              >
            : SelectionAcc
        : Node extends {
              kind: 'Field';
              name: any;
              selectionSet: any;
            }
          ? isOptional<Node> extends true
            ? typeSelectionResult<
                SelectionAcc['fields'] & {
                  [Prop in getFieldAlias<Node>]?: Node['name']['value'] extends '__typename'
                    ? PossibleType
                    : unwrapTypeRec$1<
                        Type['fields'][Node['name']['value']]['type'],
                        Node['selectionSet'],
                        Introspection,
                        Fragments,
                        getTypeDirective<Node>
                      >;
                },
                SelectionAcc['rest']
              >
            : typeSelectionResult<
                SelectionAcc['fields'] & {
                  [Prop in getFieldAlias<Node>]: Node['name']['value'] extends '__typename'
                    ? PossibleType
                    : unwrapTypeRec$1<
                        Type['fields'][Node['name']['value']]['type'],
                        Node['selectionSet'],
                        Introspection,
                        Fragments,
                        getTypeDirective<Node>
                      >;
                },
                SelectionAcc['rest']
              >
          : SelectionAcc
    >
  : SelectionAcc['rest'] extends infer T
    ? obj<SelectionAcc['fields'] & T>
    : never;
type getOperationSelectionType<
  Definition,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
> = Definition extends {
  kind: 'OperationDefinition';
  selectionSet: any;
  operation: any;
}
  ? Introspection['types'][Introspection[Definition['operation']]] extends infer Type extends
      ObjectLikeType
    ? getSelection<Definition['selectionSet']['selections'], Type, Introspection, Fragments>
    : {}
  : never;
type getFragmentSelectionType<
  Definition,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  },
> = Definition extends {
  kind: 'FragmentDefinition';
  selectionSet: any;
  typeCondition: any;
}
  ? Introspection['types'][Definition['typeCondition']['name']['value']] extends infer Type extends
      ObjectLikeType
    ? getSelection<Definition['selectionSet']['selections'], Type, Introspection, Fragments>
    : never
  : never;
type getDocumentType<
  Document extends DocumentNodeLike,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  } = {},
> = Document['definitions'] extends readonly [infer Definition, ...infer Rest]
  ? Definition extends {
      kind: 'OperationDefinition';
    }
    ? getOperationSelectionType<Definition, Introspection, getFragmentMapRec<Rest> & Fragments>
    : Definition extends {
          kind: 'FragmentDefinition';
        }
      ? getFragmentSelectionType<Definition, Introspection, getFragmentMapRec<Rest> & Fragments>
      : never
  : never;
type getFragmentMapRec<Definitions, FragmentMap = {}> = Definitions extends readonly [
  infer Definition,
  ...infer Rest,
]
  ? getFragmentMapRec<
      Rest,
      Definition extends {
        kind: 'FragmentDefinition';
        name: any;
      }
        ? {
            [Name in Definition['name']['value']]: Definition;
          } & FragmentMap
        : FragmentMap
    >
  : FragmentMap;

type getInputObjectTypeRec<
  InputFields,
  Introspection extends SchemaLike,
  InputObject = {},
> = InputFields extends [infer InputField, ...infer Rest]
  ? getInputObjectTypeRec<
      Rest,
      Introspection,
      (InputField extends {
        name: any;
        type: any;
      }
        ? InputField extends {
            defaultValue?: undefined | null;
            type: {
              kind: 'NON_NULL';
            };
          }
          ? {
              [Name in InputField['name']]: unwrapTypeRec<InputField['type'], Introspection, true>;
            }
          : {
              [Name in InputField['name']]?: unwrapTypeRec<
                InputField['type'],
                Introspection,
                true
              > | null;
            }
        : {}) &
        InputObject
    >
  : obj<InputObject>;
type getInputObjectTypeOneOfRec<
  InputFields,
  Introspection extends SchemaLike,
  InputObject = never,
> = InputFields extends [infer InputField, ...infer Rest]
  ? getInputObjectTypeOneOfRec<
      Rest,
      Introspection,
      | (InputField extends {
          name: any;
          type: any;
        }
          ? {
              [Name in InputField['name']]: unwrapTypeRec<InputField['type'], Introspection, false>;
            }
          : never)
      | InputObject
    >
  : InputObject;
type unwrapTypeRec<TypeRef, Introspection extends SchemaLike, IsOptional> = TypeRef extends {
  kind: 'NON_NULL';
  ofType: any;
}
  ? unwrapTypeRec<TypeRef['ofType'], Introspection, false>
  : TypeRef extends {
        kind: 'LIST';
        ofType: any;
      }
    ? IsOptional extends false
      ? Array<unwrapTypeRec<TypeRef['ofType'], Introspection, true>>
      : null | Array<unwrapTypeRec<TypeRef['ofType'], Introspection, true>>
    : TypeRef extends {
          name: any;
        }
      ? IsOptional extends false
        ? getScalarType<TypeRef['name'], Introspection>
        : null | getScalarType<TypeRef['name'], Introspection>
      : unknown;
type unwrapTypeRefRec<Type, Introspection extends SchemaLike, IsOptional> = Type extends {
  kind: 'NonNullType';
  type: any;
}
  ? unwrapTypeRefRec<Type['type'], Introspection, false>
  : Type extends {
        kind: 'ListType';
        type: any;
      }
    ? IsOptional extends false
      ? Array<unwrapTypeRefRec<Type['type'], Introspection, true>>
      : null | Array<unwrapTypeRefRec<Type['type'], Introspection, true>>
    : Type extends {
          kind: 'NamedType';
          name: any;
        }
      ? IsOptional extends false
        ? getScalarType<Type['name']['value'], Introspection>
        : null | getScalarType<Type['name']['value'], Introspection>
      : unknown;
type _getVariablesRec<
  Variables,
  Introspection extends SchemaLike,
  VariablesObject = {},
> = Variables extends [infer Variable, ...infer Rest]
  ? _getVariablesRec<
      Rest,
      Introspection,
      (Variable extends {
        kind: 'VariableDefinition';
        variable: any;
        type: any;
      }
        ? Variable extends {
            defaultValue: undefined;
            type: {
              kind: 'NonNullType';
            };
          }
          ? {
              [Name in Variable['variable']['name']['value']]: unwrapTypeRefRec<
                Variable['type'],
                Introspection,
                true
              >;
            }
          : {
              [Name in Variable['variable']['name']['value']]?: unwrapTypeRefRec<
                Variable['type'],
                Introspection,
                true
              >;
            }
        : {}) &
        VariablesObject
    >
  : obj<VariablesObject>;
type getVariablesType<
  Document extends DocumentNodeLike,
  Introspection extends SchemaLike,
> = _getVariablesRec<Document['definitions'][0]['variableDefinitions'], Introspection>;
type getScalarType<
  TypeName,
  Introspection extends SchemaLike,
> = TypeName extends keyof Introspection['types']
  ? Introspection['types'][TypeName] extends {
      kind: 'INPUT_OBJECT';
      inputFields: any;
      isOneOf?: any;
    }
    ? Introspection['types'][TypeName]['isOneOf'] extends true
      ? getInputObjectTypeOneOfRec<Introspection['types'][TypeName]['inputFields'], Introspection>
      : getInputObjectTypeRec<Introspection['types'][TypeName]['inputFields'], Introspection>
    : Introspection['types'][TypeName] extends {
          type: any;
        }
      ? Introspection['types'][TypeName]['type']
      : Introspection['types'][TypeName]['enumValues']
  : never;

type fragmentRegistryEntry<Fragment> =
  Fragment extends FragmentShape<infer Definition, infer Result>
    ? {
        [Name in Definition['fragment']]: Result;
      }
    : never;
type fragmentRegistry<Fragments extends readonly FragmentShape[]> = overload<
  fragmentRegistryEntry<Fragments[number]> | {}
>;
type unmaskFragmentSpreadsRec<Refs, Registry> = overload<
  keyof Refs extends infer Name
    ? Name extends keyof Registry
      ? unmaskFragmentRefsRec<Registry[Name], Registry>
      : Name extends keyof Refs
        ? {
            [$tada.fragmentRefs]: {
              [N in Name]: Refs[N];
            };
          }
        : never
    : never
>;
type unmaskFragmentRefsRec<Data, Registry> = Data extends readonly (infer Value)[]
  ? readonly unmaskFragmentRefsRec<Value, Registry>[]
  : Data extends null
    ? null
    : Data extends undefined
      ? undefined
      : Data extends {
            [$tada.fragmentRefs]: infer Refs;
          }
        ? obj<
            {
              [Key in Exclude<keyof Data, $tada.fragmentRefs>]: unmaskFragmentRefsRec<
                Data[Key],
                Registry
              >;
            } & unmaskFragmentSpreadsRec<Refs, Registry>
          >
        : Data extends object
          ? {
              [Key in keyof Data]: unmaskFragmentRefsRec<Data[Key], Registry>;
            }
          : Data;
declare function readResult<
  const Document extends DocumentDecoration<any, any>,
  const Fragments extends readonly FragmentShape[],
>(
  document: Document,
  data: unmaskFragmentRefsRec<ResultOf<Document>, fragmentRegistry<Fragments>>,
  fragments: Fragments
): ResultOf<Document>;
type resultOfFragmentsRec<
  Fragments extends readonly any[],
  Result = {},
> = Fragments extends readonly [infer Fragment, ...infer Rest]
  ? resultOfFragmentsRec<Rest, ResultOf<Fragment> & Result>
  : Result;
type fragmentRefsOfFragmentsRec<
  Fragments extends readonly any[],
  FragmentRefs = {},
> = Fragments extends readonly [infer Fragment, ...infer Rest]
  ? fragmentRefsOfFragmentsRec<Rest, makeFragmentRef<Fragment> & FragmentRefs>
  : obj<FragmentRefs>;
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: resultOfFragmentsRec<Fragments>
): fragmentRefsOfFragmentsRec<Fragments>;
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: resultOfFragmentsRec<Fragments> | null
): fragmentRefsOfFragmentsRec<Fragments> | null;
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: resultOfFragmentsRec<Fragments> | undefined
): fragmentRefsOfFragmentsRec<Fragments> | undefined;
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: resultOfFragmentsRec<Fragments> | null | undefined
): fragmentRefsOfFragmentsRec<Fragments> | null | undefined;
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: readonly resultOfFragmentsRec<Fragments>[]
): readonly fragmentRefsOfFragmentsRec<Fragments>[];
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: readonly (resultOfFragmentsRec<Fragments> | null)[]
): readonly (fragmentRefsOfFragmentsRec<Fragments> | null)[];
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: readonly (resultOfFragmentsRec<Fragments> | undefined)[]
): readonly (fragmentRefsOfFragmentsRec<Fragments> | undefined)[];
declare function maskFragments<const Fragments extends readonly FragmentShape[]>(
  _fragments: Fragments,
  fragment: readonly (resultOfFragmentsRec<Fragments> | null | undefined)[]
): readonly (fragmentRefsOfFragmentsRec<Fragments> | null | undefined)[];
declare function unsafe_readResult<
  const Document extends DocumentDecoration<any, any>,
  const Data extends omitFragmentRefsRec<ResultOf<Document>>,
>(_document: Document, data: Data): ResultOf<Document>;

interface AbstractSetupSchema {
  introspection: IntrospectionLikeInput;
  scalars?: ScalarsLike;
  disableMasking?: boolean;
}
interface AbstractConfig {
  isMaskingDisabled: boolean;
}
interface setupSchema extends AbstractSetupSchema {}
interface AbstractSetupCache {
  readonly __cacheDisabled: unknown;
}
interface setupCache extends AbstractSetupCache {}
interface GraphQLTadaAPI<Schema extends SchemaLike, Config extends AbstractConfig> {
    readonly __name: Schema['name'];
    <
    const In extends unknown extends setupCache['__cacheDisabled'] ? keyof setupCache : never,
    const Fragments extends readonly FragmentShape[],
  >(
    input: In,
    fragments?: Fragments
  ): setupCache[In];
  <const In extends string, const Fragments extends readonly FragmentShape[]>(
    input: In,
    fragments?: Fragments
  ): getDocumentNode<
    parseDocument<In>,
    Schema,
    getFragmentsOfDocuments<Fragments>,
    Config['isMaskingDisabled']
  >;
    scalar<const Name extends string, Value>(
    name: Name,
    value: getScalarType<Name, Schema> extends Value
      ? Value & getScalarType<Name, Schema>
      : getScalarType<Name, Schema>
  ): Value;
  scalar<const Name extends string, Value>(
    name: Name,
    value: getScalarType<Name, Schema> extends Value
      ? never extends Value
        ? never
        : (Value & getScalarType<Name, Schema>) | null
      : getScalarType<Name, Schema> | null
  ): Value | null;
  scalar<const Name extends string, Value>(
    name: Name,
    value: getScalarType<Name, Schema> extends Value
      ? never extends Value
        ? never
        : (Value & getScalarType<Name, Schema>) | undefined
      : getScalarType<Name, Schema> | undefined
  ): Value | undefined;
  scalar<const Name extends string, Value>(
    name: Name,
    value: getScalarType<Name, Schema> extends Value
      ? never extends Value
        ? never
        : (Value & getScalarType<Name, Schema>) | null | undefined
      : getScalarType<Name, Schema> | null | undefined
  ): Value | null | undefined;
  scalar<const Name extends string>(
    name: Name,
    value: getScalarType<Name, Schema> | undefined
  ): getScalarType<Name, Schema>;
    persisted<Document extends DocumentNodeLike = never>(
    documentId: string,
    document?: Document
  ): Document extends DocumentDecoration<infer Result, infer Variables>
    ? TadaPersistedDocumentNode<Result, Variables>
    : never;
}
type schemaOfSetup<Setup extends AbstractSetupSchema> = addIntrospectionScalars<
  mapIntrospection<matchOr<IntrospectionLikeInput, Setup['introspection'], never>>,
  matchOr<ScalarsLike, Setup['scalars'], {}>
>;
type configOfSetup<Setup extends AbstractSetupSchema> = {
  isMaskingDisabled: Setup['disableMasking'] extends true ? true : false;
};
type initGraphQLTada<Setup extends AbstractSetupSchema> = GraphQLTadaAPI<
  schemaOfSetup<Setup>,
  configOfSetup<Setup>
>;
declare function initGraphQLTada<const Setup extends AbstractSetupSchema>(): initGraphQLTada<Setup>;
declare function parse<const In extends string>(input: In): parseDocument<In>;
type getDocumentNode<
  Document extends DocumentNodeLike,
  Introspection extends SchemaLike,
  Fragments extends {
    [name: string]: any;
  } = {},
  isMaskingDisabled = false,
> =
  getDocumentType<Document, Introspection, Fragments> extends never
    ? never
    : TadaDocumentNode<
        getDocumentType<Document, Introspection, Fragments>,
        getVariablesType<Document, Introspection>,
        decorateFragmentDef<Document, isMaskingDisabled>
      >;
interface TadaDocumentNode<
  Result = {
    [key: string]: any;
  },
  Variables = {
    [key: string]: any;
  },
  Decoration = void,
> extends DocumentNode,
    DocumentDecoration<Result, Variables>,
    DefinitionDecoration<Decoration> {}
interface TadaPersistedDocumentNode<
  Result = {
    [key: string]: any;
  },
  Variables = {
    [key: string]: any;
  },
> extends DocumentNode,
    DocumentDecoration<Result, Variables> {
  definitions: readonly DefinitionNode[];
  documentId: string;
}
type ResultOf<Document> = Document extends DocumentDecoration<infer Result, any> ? Result : never;
type VariablesOf<Document> =
  Document extends DocumentDecoration<any, infer Variables> ? Variables : never;
type FragmentOf<Document extends FragmentShape> = makeFragmentRef<Document>;
type resultOrFragmentOf<Document extends FragmentShape> = FragmentOf<Document> | ResultOf<Document>;
type resultOfT<Document extends FragmentShape, T = unknown> =
  Document extends DocumentDecoration<infer Result, any>
    ? '__typename' extends keyof T
      ? Result extends {
          __typename?: T['__typename'];
        }
        ? Result
        : never
      : Result
    : never;
declare function readFragment<const Document extends FragmentShape = never>(
  _document: Document,
  fragment: never
): resultOfT<Document>;
declare function readFragment<
  const Document extends FragmentShape,
  const T extends resultOrFragmentOf<Document> | null | undefined | {},
>(
  _document: Document,
  fragments: readonly T[]
): readonly (T extends resultOrFragmentOf<Document> ? resultOfT<Document, T> : T)[];
declare function readFragment<
  const Document extends FragmentShape,
  const T extends resultOrFragmentOf<Document> | null | undefined | {},
>(
  _document: Document,
  fragment: T
): T extends resultOrFragmentOf<Document> ? resultOfT<Document, T> : T;
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly resultOrFragmentOf<Document>[]
): readonly ResultOf<Document>[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | null)[]
): readonly (ResultOf<Document> | null)[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | undefined)[]
): readonly (ResultOf<Document> | undefined)[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | null | undefined)[]
): readonly (ResultOf<Document> | null | undefined)[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | {})[]
): readonly (ResultOf<Document> | {})[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | null | {})[]
): readonly (ResultOf<Document> | null | {})[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | undefined | {})[]
): readonly (ResultOf<Document> | undefined | {})[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: readonly (resultOrFragmentOf<Document> | null | undefined | {})[]
): readonly (ResultOf<Document> | null | undefined | {})[];
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document>
): ResultOf<Document>;
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | null
): ResultOf<Document> | null;
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | undefined
): ResultOf<Document> | undefined;
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | null | undefined
): ResultOf<Document> | null | undefined;
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | {}
): ResultOf<Document> | {};
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | null | {}
): ResultOf<Document> | null | {};
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | undefined | {}
): ResultOf<Document> | undefined | {};
declare function readFragment<const Document extends FragmentShape>(
  fragment: resultOrFragmentOf<Document> | null | undefined | {}
): ResultOf<Document> | null | undefined | {};

export { type AbstractSetupSchema, type configOfSetup, type DocumentDecoration, type FragmentOf, type FragmentShape, type getDocumentNode, type getFragmentsOfDocuments, type parseDocument, type ResultOf, type schemaOfSetup, type TadaDocumentNode, type VariablesOf, readFragment };
