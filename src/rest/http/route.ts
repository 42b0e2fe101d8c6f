import type { ResultOf, VariablesOf } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import type { Parameters } from '../../lib/bracket-keys.ts';
import type { ServiceError } from '../../lib/errors.ts';
import type { ServedFile } from '../../resolvers/files/content.ts';
import type { OperationDocs } from '../openapi/docs/operation-docs.ts';
import type { BodyLimits } from './parameters.ts';
import type { XmlRoot } from './xml.ts';

/** What a request says, whatever form it came in. */
export interface RestRequest {
  /** Values of the path, decoded. */
  path: Record<string, string>;
  /** Query and body together. */
  parameters: Parameters;
  /** A header's value, by its name in any letter case; empty ones are absent. */
  header: (name: string) => string | undefined;
}

/** Longest file that an endpoint takes. */
export const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;

/** `body` undefined: an empty one. */
export interface Answer {
  status: number;
  body: unknown;
  /** When the session ends that the answer opens; any other answer tells it of the request's session. */
  expiresAt?: Date;
  /** The request's session has ended with it. */
  endsSession?: boolean;
  /** Root of the XML form where it is not the route's. */
  xml?: XmlRoot;
  /** Sent instead of the body, whole or in part, as the request asks. */
  file?: ServedFile;
}

/** A route that takes a file, in the part `file` of a multipart body. It streams to the storage as it arrives. */
export interface Upload {
  /** Of the whole body. */
  maxBytes: number;
  /**
   * Asked before the first byte is stored, for operations whose caller is known by other things than credentials.
   * @param before the query and the fields before the file
   * @returns the application whose file it will be; default: the caller's
   * @throws {ServiceError} the file is not wanted
   */
  admit?: (before: Parameters, context: Context) => Promise<number>;
}

/** One legacy endpoint: a path, the GraphQL operation behind it, and the renaming between the two. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'delete';
  /** Without suffix; `:id` is a value. */
  path: string;
  /** Serves only paths whose `ids` name several, `a,b`; stands before the endpoint for one. */
  several?: true;
  /** Serves only paths whose values look so. */
  only?: Record<string, RegExp>;
  /** Clients that say they were written for an earlier version do not know the endpoint: for them it is a 404. */
  since?: string;
  /** The file is `context.upload` for the operation, which takes it over; if it fails, the bytes are removed. */
  upload?: Upload;
  /** Answers with a file, so that the parameter `token` is a credential, and others may be wrong in vain. */
  download?: true;
  /** An API key is not refused for a token beside it, which then says nothing. */
  keyWins?: true;
  /** Larger bodies than those of other endpoints; the path has no parameters then, since size is looked at first. */
  body?: BodyLimits;
  /** Root of the XML form; a wrapped record has its wrapper instead, any other answer `result`. */
  xml?: XmlRoot;
  /** Whatever is wrong with what was sent is answered by 400 `{}`. */
  plainRefusal?: true;
  /** Its parameters have errors of their own for values of a wrong type. */
  refusesWrongTypes?: true;
  /** One operation with one root field, whose access is the endpoint's. */
  document: DocumentNode;
  variables: (request: RestRequest) => Record<string, unknown>;
  respond: (data: never, request: RestRequest) => Answer;
  /** The legacy body of an error; undefined: an empty one. */
  errors: (error: ServiceError) => unknown;
  /** What the documentation says of it. */
  docs: OperationDocs;
}

/** Ties the types of `variables` and `respond` to the document. */
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
