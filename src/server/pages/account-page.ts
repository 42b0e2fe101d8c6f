import type { Request, Response } from 'express';
import type { DocumentNode, GraphQLError } from 'graphql';
import type { Context, Services } from '../../context.ts';
import { execute } from '../../graphql/execute.ts';
import { presentError } from '../../graphql/presented-errors.ts';
import { ServiceError } from '../../lib/errors.ts';
import { sentenceOf } from '../../lib/problems.ts';
import { createContext } from '../../resolvers/create-context.ts';
import { schema } from '../../schema/index.ts';
import { CONTENT_SECURITY_POLICY } from './reset-password-view.ts';

export function contextOf(request: Request, services: Services): Context {
  const viewer = { kind: 'anonymous' } as const;
  const network = services.networkOf(request);
  return createContext(services, viewer, { network, meter: services.rateLimits?.meter(network, viewer) });
}

export async function run(
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
): Promise<GraphQLError | undefined> {
  const { errors } = await execute({ schema, document, variableValues, contextValue });
  if (!errors) return undefined;
  const cause = errors[0]!.originalError;
  return cause instanceof ServiceError ? cause : presentError(errors[0], contextValue.log);
}

const STATUS: Record<string, number> = { BAD_USER_INPUT: 400, RATE_LIMITED: 429 };

export const statusOf = ({ extensions }: GraphQLError) => STATUS[String(extensions.code)] ?? 500;

export function send(
  response: Response,
  status: number,
  html: string,
  { headers = {}, isHead = false }: { headers?: Record<string, string>; isHead?: boolean } = {},
): void {
  if (response.headersSent) return;
  response
    .writeHead(status, {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(html)),
      // The URL contains the token, so it must not reach other pages, caches or frames.
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
      'Cross-Origin-Opener-Policy': 'same-origin',
    })
    .end(isHead ? undefined : html);
}

export function shownProblems(problem: GraphQLError): string[] {
  return problem instanceof ServiceError ? problem.problems.map((one) => sentenceOf(one)) : [problem.message];
}
