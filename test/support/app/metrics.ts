import { running } from './app.ts';

export async function readMetrics(url = running.url): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}
