import { answerXml, errorsXml } from '../lib/xml.ts';
import type { Answer } from './route.ts';

/** The text of a body and its content type. */
export interface RenderedBody {
  type: string;
  text: string;
}

/** An answer's body as it goes out; undefined when it is empty, in XML as in JSON. */
export function render({ status, body, xml }: Answer, isXml: boolean): RenderedBody | undefined {
  if (body === undefined) return undefined;
  const json = JSON.stringify(body);
  if (!isXml) return { type: 'application/json; charset=utf-8', text: json };

  // Made from the JSON text, the XML says exactly the same, whatever the endpoint put together.
  const answer: unknown = JSON.parse(json);
  const text = status < 400 ? answerXml(answer, xml) : errorsXml(answer);
  return { type: 'application/xml; charset=utf-8', text };
}
