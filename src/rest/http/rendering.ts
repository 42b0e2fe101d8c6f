import type { Answer } from './route.ts';
import { answerXml, errorsXml } from './xml.ts';

const XML_TYPE = 'application/xml; charset=utf-8';

/** The text of a body and its content type. */
export interface RenderedBody {
  type: string;
  text: string;
}

/** A body that is XML of its own, whatever the path asks for. */
export class XmlBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An answer's body as it goes out; undefined when it is empty, in XML as in JSON. */
export function render({ status, body, xml }: Answer, isXml: boolean): RenderedBody | undefined {
  if (body === undefined) return undefined;
  if (body instanceof XmlBody) return { type: XML_TYPE, text: body.text };
  const json = JSON.stringify(body);
  if (!isXml) return { type: 'application/json; charset=utf-8', text: json };

  // Made from the JSON text, the XML says exactly the same, whatever the endpoint put together.
  const answer: unknown = JSON.parse(json);
  const text = status < 400 ? answerXml(answer, xml) : errorsXml(answer);
  return { type: XML_TYPE, text };
}
