import { t } from '@lingui/core/macro';
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { useEffect, useState } from 'react';
import { graphqlUrl } from '../root.ts';
import type { Tone } from '../ui/status.tsx';

/** The schema depends on the credentials: an application has types for its own classes. @throws {Error} refused */
async function loadSchema(headers: Record<string, string>, signal: AbortSignal): Promise<GraphQLSchema> {
  const response = await fetch(graphqlUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: getIntrospectionQuery(), operationName: 'IntrospectionQuery' }),
    signal,
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return buildClientSchema(data);
}

export interface SchemaStatus {
  text: string;
  tone: Tone;
}

/** The schema follows the credentials. */
export function useSchema(headers: Record<string, string>) {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  const [status, setStatus] = useState<SchemaStatus>({ text: t`Loading the schema …`, tone: 'plain' });
  useEffect(() => {
    const request = new AbortController();
    setStatus({ text: t`Loading the schema …`, tone: 'plain' });
    loadSchema(headers, request.signal)
      .then((loaded) => {
        setSchema(loaded);
        setStatus({ text: t`Schema loaded`, tone: 'good' });
      })
      .catch((error: Error) => {
        if (request.signal.aborted) return;
        setStatus({ text: t`The schema could not be loaded: ${error.message}`, tone: 'bad' });
      });
    return () => request.abort();
  }, [headers]);
  return { schema, status };
}
