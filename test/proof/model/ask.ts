import { type Answer, type TransportName, Transports } from '../../support/clients/transports.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import { operationOn } from '../../support/operations/index.ts';
import type { Args, Call } from '../../support/operations/operation.ts';

export { type Answer, TRANSPORTS, type TransportName } from '../../support/clients/transports.ts';

const transports = new Transports();

/** Calls a registered operation. @param others parts of the call that replace those of the registry */
export function ask(
  transport: TransportName,
  name: string,
  args: Args,
  as: Caller,
  others: Partial<Call> = {},
): Promise<Answer> {
  const operation = operationOn(name);
  const call = operation.call(args);
  const variables = { ...call.variables, ...others.variables };
  return transports.run(transport, operation, { ...call, ...others, variables }, as);
}
