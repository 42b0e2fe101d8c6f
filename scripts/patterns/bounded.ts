import { MAX_SHOWN } from '../../src/platform/observability/redact.ts';
import type { BoundedPattern } from './judge.ts';

const shown = (literal: string): BoundedPattern => ({
  file: 'src/platform/observability/redact.ts',
  literal,
  bound: MAX_SHOWN,
  reason:
    'Finds secrets anywhere in a log message; redactText truncates it first (test/platform/observability/redact.test.ts).',
});

export const BOUNDED: BoundedPattern[] = [
  shown(String.raw`/(\bhttps?:\/\/[^\s?#"']*)\?[^\s"']*/gi`),
  shown(String.raw`/(\w+:\/\/)[^\s/@"']*@/g`),
  shown(
    String.raw`/((?:token|signature|password|passwd|secret|auth_?key|api_?key|authorization|credential|access_key)\w*["'\]]*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&)}\]]+)/gi`,
  ),
  shown(String.raw`/[^\s"'<>(),;:=@]+@[^\s"'<>(),;:=@]+\.[a-z]{2,}/gi`),
  shown(String.raw`/\)=\([^\n]*?(?:\)(?= |$)|$)/gm`),
  shown(
    String.raw`/(\b(?:relation|table|column|constraint|index|function|schema|database|operator|type|statement|sequence|role|parameter) )?"(?:[^"\\]|\\.)*(?:"|$)/g`,
  ),
];
