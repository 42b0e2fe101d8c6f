import type { Outcome } from './comparison.ts';

const WIDTH = 860;
const LEFT = 330;
const RIGHT = 130;
const ROW = 24;
const HEADING = 56;
const FOOT = 40;

interface Panel {
  title: string;
  outcomes: Outcome[];
}

export function plot(outcomes: Outcome[]): string {
  const isRate = ({ unit }: Outcome) => unit.endsWith('/s');
  const panels: Panel[] = [
    { title: 'Speed: multiple of the baseline per second', outcomes: outcomes.filter(isRate) },
    {
      title: 'Time and memory: multiple of the baseline (less is better)',
      outcomes: outcomes.filter((outcome) => !isRate(outcome)),
    },
  ].filter((panel) => panel.outcomes.length > 0);
  let top = 0;
  const parts = panels.map((panel) => {
    const drawn = drawPanel(panel, top);
    top += heightOf(panel);
    return drawn;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top}" viewBox="0 0 ${WIDTH} ${top}" font-family="system-ui, sans-serif" font-size="13">
<title>The service beside the other side of each benchmark</title>
<rect width="100%" height="100%" fill="#fff"/>
${parts.join('\n')}
</svg>
`;
}

function heightOf({ outcomes }: Panel): number {
  return HEADING + outcomes.length * ROW + FOOT;
}

function drawPanel({ title, outcomes }: Panel, top: number): string {
  const { most, step } = scaleOf(Math.max(1, ...outcomes.map(({ highest }) => highest)));
  const x = (ratio: number) => round(LEFT + (ratio / most) * (WIDTH - LEFT - RIGHT));
  const bottom = top + HEADING + outcomes.length * ROW;
  const ticks = Array.from({ length: Math.round(most / step) + 1 }, (_, nth) => round(nth * step));
  return [
    `<text x="16" y="${top + 28}" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...ticks.map((tick) => drawTick(tick, x(tick), top + HEADING - 6, bottom)),
    ...outcomes.map((outcome, nth) => drawRow(outcome, x, top + HEADING + nth * ROW)),
  ].join('\n');
}

function drawTick(tick: number, x: number, top: number, bottom: number): string {
  const stroke = tick === 1 ? 'stroke="#c2410c" stroke-width="1.5"' : 'stroke="#ddd"';
  return (
    `<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom}" ${stroke}/>` +
    `<text x="${x}" y="${bottom + 18}" text-anchor="middle" fill="#666">${tick}</text>`
  );
}

function drawRow({ name, unit, ratio, lowest, highest }: Outcome, x: (ratio: number) => number, top: number): string {
  const middle = top + ROW / 2;
  const label = unit === 'requests/s' ? name : `${name} (${unit})`;
  return (
    `<text x="${LEFT - 10}" y="${middle + 4}" text-anchor="end">${escaped(label)}</text>` +
    `<rect x="${LEFT}" y="${middle - 7}" width="${round(x(ratio) - LEFT)}" height="14" fill="#3b82f6"/>` +
    `<path d="M${x(lowest)} ${middle - 4}v8m0-4H${x(highest)}m0-4v8" stroke="#111" fill="none"/>` +
    `<text x="${x(highest) + 8}" y="${middle + 4}" fill="#333">${ratio.toFixed(2)}</text>`
  );
}

/** At most ten steps of 1, 2 or 5 times a power of ten; the last one exceeds the highest value. */
function scaleOf(highest: number): { most: number; step: number } {
  const power = 10 ** Math.floor(Math.log10(highest / 10));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => highest / candidate <= 10)!;
  return { most: Math.ceil(highest / step) * step, step };
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
}
