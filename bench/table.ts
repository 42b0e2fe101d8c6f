import { cpus } from 'node:os';
import type { Outcome } from './comparison.ts';

export function table(outcomes: Outcome[]): string {
  const rows = outcomes.map(({ name, unit, service, bare, ratio, lowest, highest }) => [
    name,
    unit,
    figure(service),
    figure(bare),
    ratio.toFixed(2),
    `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
  ]);
  const lines = [
    ['benchmark', 'unit', 'service', 'bare', 'service / bare', 'min–max'],
    ['---', '---', '--:', '--:', '--:', '--:'],
    ...rows,
  ];
  const notes = new Set(outcomes.flatMap(({ note }) => (note ? [`\n${note}\n`] : [])));
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('') + [...notes].join('');
}

export function machine(postgres: string): string {
  const processors = cpus();
  const { model } = processors[0]!;
  return `${processors.length} × ${model.trim()}, ${process.platform} ${process.arch}, Node ${process.versions.node}, ${postgres}; load, service and database share them\n`;
}

function figure(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString('en') : number.toFixed(1);
}
