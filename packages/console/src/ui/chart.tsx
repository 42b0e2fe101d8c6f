import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

interface ChartProps {
  label: string;
  /** Unix seconds. */
  times: number[];
  /** Drawn on top of each other, the first one at the bottom. */
  parts: ChartPart[];
}

export interface ChartPart {
  name: string;
  values: number[];
  color: '--bar' | '--warn' | '--bad';
}

const BARS = { size: [0.7, 40] as [number, number] };

const HEIGHT = 170;
const HALF_HOUR = 1800;
/** Distances between lines: 1, 2 and 5 of each power of ten. */
const STEPS = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const hour = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

const sumAt = (parts: ChartPart[], index: number) =>
  parts.reduce((total, { values }) => total + (values[index] ?? 0), 0);

/** Days at midnight, and where lines are a day apart; otherwise hours. */
function timesOf(_plot: UPlot, splits: number[]): string[] {
  const isOfDays = (splits[1] ?? 0) - (splits[0] ?? 0) >= 24 * 2 * HALF_HOUR;
  return splits.map((seconds) => {
    const time = new Date(seconds * 1000);
    return (isOfDays || time.getHours() === 0 ? day : hour).format(time);
  });
}

/** Bars over time. The page also states the figures as text, because a canvas is not accessible. */
export function Chart({ label, times, parts }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors are those of the scheme
  useEffect(() => {
    const parent = box.current!;
    // A canvas cannot resolve variables.
    const colorOf = (token: string) => {
      parent.style.color = `var(${token})`;
      return getComputedStyle(parent).color;
    };
    const text = colorOf('--soft');
    const font = `12px ${getComputedStyle(parent).fontFamily}`;
    const grid = { stroke: colorOf('--line'), width: 1 };
    const barsOf = (name: string, color: string): UPlot.Series => ({
      label: name,
      stroke: color,
      fill: color,
      points: { show: false },
      paths: UPlot.paths.bars!(BARS),
    });
    // Sums are drawn first and then covered by the parts below.
    const series = parts.map(({ name, color }) => barsOf(name, colorOf(color))).reverse();
    const sums = parts
      .map((_part, count) => times.map((_time, index) => sumAt(parts.slice(0, count + 1), index)))
      .reverse();
    const plot = new UPlot(
      {
        width: parent.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        // Half an hour on both sides, so that the first and the last bar are complete.
        scales: {
          x: { range: (_plot, min, max) => [min - HALF_HOUR, max + HALF_HOUR] },
          y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.1)] },
        },
        axes: [
          { stroke: text, font, size: 28, grid: { show: false }, ticks: grid, values: timesOf },
          { stroke: text, font, grid, ticks: { show: false }, incrs: STEPS },
        ],
        series: [{}, ...series],
      },
      [times, ...sums],
      parent,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, parts, scheme]);
  return <div ref={box} role="img" aria-label={label} style={{ width: '100%', minHeight: HEIGHT }} />;
}
