import { Prisma } from '../../db/client.ts';
import type { RequestCaller, RequestTransport } from '../../generated/prisma/enums.ts';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { isSearchText, MAX_SEARCH_CHARACTERS } from '../../lib/search-text.ts';

/** Requests that fulfil all conditions. */
export interface RequestLogFilter {
  minStatus?: number | null;
  maxStatus?: number | null;
  transport?: RequestTransport | null;
  /** Part of the route, the shape of an unknown path, the operation name or a root field. */
  contains?: string | null;
  requestId?: string | null;
  caller?: RequestCaller | null;
  userId?: number | null;
  apiKeyId?: number | null;
  slowOnly?: boolean | null;
  from?: Date | null;
  to?: Date | null;
}

/** Of rows of `request_log r`. @throws {BadInputError} */
export function conditionOf(filter: RequestLogFilter): Prisma.Sql {
  const { minStatus, maxStatus, transport, contains, requestId, caller, userId, apiKeyId, slowOnly, from, to } = filter;
  const conditions = [
    minStatus != null && Prisma.sql`r.status >= ${minStatus}`,
    maxStatus != null && Prisma.sql`r.status <= ${maxStatus}`,
    transport != null && Prisma.sql`r.transport = ${transport}::request_transport`,
    contains != null && contains !== '' && containing(contains),
    requestId != null && Prisma.sql`r.request_id = ${requestId}`,
    caller != null && Prisma.sql`r.caller = ${caller}::request_caller`,
    userId != null && Prisma.sql`r.user_id = ${userId}`,
    apiKeyId != null && Prisma.sql`r.api_key_id = ${apiKeyId}`,
    slowOnly === true && Prisma.sql`r.is_slow`,
    from != null && Prisma.sql`r.at >= ${from}`,
    to != null && Prisma.sql`r.at < ${to}`,
  ].filter((condition) => condition !== false);
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : Prisma.sql`true`;
}

function containing(text: string): Prisma.Sql {
  if (!isSearchText(text)) throw new BadInputError(problem('SEARCH_TOO_LONG', { max: MAX_SEARCH_CHARACTERS }));
  const part = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return Prisma.sql`concat_ws(' ', r.route, r.path, r.operation, array_to_string(r.fields, ' ')) ILIKE ${part}`;
}
