import type { ResultOf, VariablesOf } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import type { Parameters } from '../../lib/bracket-keys.ts';
import type { ServiceError } from '../../lib/errors.ts';
import type { ServedFile } from '../../resolvers/files/content.ts';
import type { OperationDocs } from '../openapi/docs/operation-docs.ts';
import type { BodyLimits } from './parameters.ts';
import type { XmlRoot } from './xml.ts';

export interface RestRequest {
  path: Record<string, string>;
  parameters: Parameters;
  header: (name: string) => string | undefined;
}

export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

export interface Answer {
  status: number;
  body: unknown;
  /** Only of a session that the request opens. */
  expiresAt?: Date;
  endsSession?: boolean;
  xml?: XmlRoot;
  file?: ServedFile;
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
  keyWins?: true;
  body?: BodyLimits;
  /** Root element in XML. Default: the wrapper of the record, else `result`. */
  xml?: XmlRoot;
  plainRefusal?: true;
  refusesWrongTypes?: true;
  /** One root field, which determines the access. */
  document: DocumentNode;
  variables: (request: RestRequest) => Record<string, unknown>;
  respond: (data: never, request: RestRequest) => Answer;
  errors: (error: ServiceError) => unknown;
  docs: OperationDocs;
}

export function route<Document extends DocumentNode>(definition: {
  method: Route['method'];
  path: string;
  several?: true;
  only?: Record<string, RegExp>;
  since?: string;
  upload?: Upload;
  download?: true;
  keyWins?: true;
  body?: BodyLimits;
  xml?: XmlRoot;
  plainRefusal?: true;
  refusesWrongTypes?: true;
  document: Document;
  variables: (request: RestRequest) => VariablesOf<Document>;
  respond: (data: ResultOf<Document>, request: RestRequest) => Answer;
  errors: Route['errors'];
  docs: OperationDocs;
}): Route {
  return definition as unknown as Route;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const empty = (): Answer => ({ status: 200, body: undefined });
export const download = (file: ServedFile): Answer => ({ status: 200, body: undefined, file });
