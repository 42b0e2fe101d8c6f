import type { ResultOf, VariablesOf } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import type { Parameters } from '../../lib/bracket-keys.ts';
import type { ServiceError } from '../../lib/errors.ts';
import type { ServedFile } from '../../resolvers/files/served-file.ts';
import { errorList } from '../errors.ts';
import type { OperationDocs, RouteDocs } from '../openapi/docs/operation-docs.ts';
import type { Schema } from '../openapi/docs/schemas.ts';
import { operationOf } from '../operations.ts';
import {
  type Entry,
  type ParameterSource,
  type ParameterTable,
  parameters,
  type ValuesOf,
} from '../parameters/table.ts';
import type { BodyLimits } from './parameters.ts';
import type { XmlRoot } from './xml.ts';

export interface RestRequest<Names extends string = string> extends ParameterSource {
  /** Values from the path, by name, percent-decoded but not checked. */
  path: Record<Names, string>;
}

export interface Answer {
  body?: unknown;
  /** Only of a session that the request opens. */
  expiresAt?: Date;
  endsSession?: boolean;
  file?: ServedFile;
}

export interface RestResponse extends Answer {
  status: number;
  xml?: XmlRoot;
}

/** The part `file` of a multipart body, streamed to the storage. */
export interface Upload {
  maxBytes: number;
  /**
   * Authorizes an upload without credentials, before the first byte is stored; returns the owning application.
   * @param before the query and the fields before the file
   */
  admit?: (before: Parameters, context: Context) => Promise<number>;
}

export interface Route {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Without suffix: `/users/:id`. */
  path: string;
  /** Matches only if `ids` has a comma. Must precede the route for one id. */
  several?: true;
  only?: Record<string, RegExp>;
  /** 404 for clients that state an earlier version. */
  since?: string;
  /** The operation claims the file as `context.upload`. If it fails, the bytes are removed. */
  upload?: Upload;
  /** `token` counts as a credential; other parameters are ignored even if malformed. */
  download?: true;
  /** An API key takes precedence over a token in the same request, instead of a 400. */
  keyWins?: true;
  body?: BodyLimits;
  /** Root element in XML. Default: the wrapper of the record, else `result`. */
  xml?: XmlRoot;
  /** Invalid input is answered with 400 and `{}`. */
  plainRefusal?: true;
  /** The operation itself reports a list or an object in place of a text. */
  checksTypes?: true;
  /** One root field, which determines the access. */
  document: DocumentNode;
  variables: (request: RestRequest) => Record<string, unknown>;
  respond: (data: never, request: RestRequest) => Answer;
  /** The body of an error. Default: `errorList`. */
  errors: (error: ServiceError) => unknown;
  docs: OperationDocs;
}

/** `/users/:id` → `'id'` */
type NamesIn<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? NamesIn<Part> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

interface Definition<Document extends DocumentNode, Path extends string, Values>
  extends Pick<
      Route,
      | 'method'
      | 'several'
      | 'only'
      | 'since'
      | 'upload'
      | 'download'
      | 'keyWins'
      | 'body'
      | 'xml'
      | 'plainRefusal'
      | 'checksTypes'
    >,
    Partial<Pick<Route, 'errors'>> {
  path: Path;
  document: Document;
  parameters?: ParameterTable<Values>;
  docs: RouteDocs;
  /** Presents the record of the root field. Without it, `present` and `respond`, the answer has no body. */
  shape?: Presenter<ResultOf<Document>>;
  /** The body. */
  present?: (data: ResultOf<Document>, request: RestRequest<NamesIn<Path>>) => unknown;
  /** What is more than a body. */
  respond?: (data: ResultOf<Document>, request: RestRequest<NamesIn<Path>>) => Answer;
}

interface Presenter<Data> {
  schema: Schema;
  present: (record: NonNullable<Data[keyof Data]>) => unknown;
}

type InPath<Path extends string> = [NamesIn<Path>] extends [never]
  ? { inPath?: never }
  : { inPath: { readonly [Name in NamesIn<Path>]: Entry } };

/** Required if parameters of another name, type or nesting than the variables of the document are read. */
type Variables<Document extends DocumentNode, Path extends string, Own, Values> = [Own & Values] extends [
  VariablesOf<Document>,
]
  ? { variables?: (request: Read<Path, Own, Values>) => VariablesOf<Document> }
  : { variables: (request: Read<Path, Own, Values>) => VariablesOf<Document> };

interface Read<Path extends string, Own, Values> extends RestRequest<NamesIn<Path>> {
  /** Variables from the path. */
  inPath: Own;
  /** Variables from query and body. */
  values: Values;
}

/** By default, the variables are those from the path, the query and the body. */
export function route<
  Document extends DocumentNode,
  const Path extends string,
  const Entries extends Record<string, Entry> = Record<never, Entry>,
  Values = unknown,
>(
  definition: Definition<Document, Path, Values> &
    InPath<Path> & { inPath?: Entries } & Variables<Document, Path, ValuesOf<Entries>, Values>,
): Route {
  return untypedRoute(definition as unknown as Untyped);
}

/** For documents that are written at the start. */
export function untypedRoute(definition: Untyped): Route {
  const { parameters: table, inPath = {}, variables, docs, shape, present, respond, ...others } = definition;
  const { field } = operationOf(others);
  const pathTable = parameters(field, inPath);
  const { properties } = pathTable.schema;
  return {
    errors: errorList,
    ...others,
    respond: respond ?? responder(present ?? (shape && ofField(field, shape))),
    docs: {
      answer: shape?.schema ?? 'nothing',
      ...docs,
      ...(Object.keys(properties).length > 0 && { path: properties }),
      ...(table && { [others.method === 'get' ? 'query' : 'body']: table.schema }),
    },
    variables: ({ path, parameters: all, header }) => {
      const source = { parameters: all, header };
      const own = pathTable.read(path, source);
      const values = table?.read(all, source) ?? {};
      return variables ? variables({ path, parameters: all, header, inPath: own, values }) : Object.assign(own, values);
    },
  };
}

type Present = (data: never, request: RestRequest) => unknown;

function ofField(field: string, shape: Presenter<Record<string, unknown>>): Present {
  const name = field.slice(field.indexOf('.') + 1);
  return (data) => shape.present(data[name]);
}

function responder(present: Present = () => undefined): Route['respond'] {
  return (data, request) => ({ body: present(data, request) });
}

export interface Untyped
  extends Omit<Route, 'docs' | 'variables' | 'errors' | 'respond'>,
    Partial<Pick<Route, 'errors' | 'respond'>> {
  docs: RouteDocs;
  shape?: Presenter<Record<string, unknown>>;
  present?: Present;
  parameters?: ParameterTable<Record<string, unknown>>;
  inPath?: Record<string, Entry>;
  variables?: (request: Read<string, unknown, unknown>) => Record<string, unknown>;
}
