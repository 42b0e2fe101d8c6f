import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

/** Reads the map of a file once, because `--enable-source-maps` would read all maps at the start. */
export function inSource(frame: string): string {
  const start = frame.lastIndexOf('file://');
  const [position, file, line, column] = /^(\S+\.js):(\d+):(\d+)/.exec(start < 0 ? '' : frame.slice(start)) ?? [];
  if (!position) return frame;
  const origin = mapOf(file!)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!origin || !('originalSource' in origin)) return frame;
  const { originalSource, originalLine, originalColumn } = origin;
  return frame.replace(position, `${originalSource}:${originalLine + 1}:${originalColumn + 1}`);
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
  } catch {
    return undefined; // not bundled
  }
}
