import type { RestResponse } from './route.ts';
import { errorsXml, xmlOf } from './xml.ts';

const XML_TYPE = 'application/xml; charset=utf-8';

export interface RenderedBody {
  type: string;
  text: string;
}

export class XmlBody {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function render({ status, body, xml }: RestResponse, isXml: boolean): RenderedBody | undefined {
  if (body === undefined) return undefined;
  if (body instanceof XmlBody) return { type: XML_TYPE, text: body.text };
  const json = JSON.stringify(body);
  if (!isXml) return { type: 'application/json; charset=utf-8', text: json };

  // Rendered from the JSON text, so that both formats have the same content.
  const answer: unknown = JSON.parse(json);
  const text = status < 400 ? xmlOf(answer, xml) : errorsXml(answer);
  return { type: XML_TYPE, text };
}
