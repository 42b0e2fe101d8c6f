import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

interface ChartProps {
  label: string;
  /** Unix seconds. */
  times: number[];
  values: number[];
}

const HEIGHT = 180;

/** Bars over time. The page also states the figures as text, because a canvas is not accessible. */
export function Chart({ label, times, values }: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const parent = box.current!;
    const text = scheme === 'dark' ? '#b4b9c2' : '#555b66';
    const grid = { stroke: scheme === 'dark' ? '#3a404c' : '#e3e6eb', width: 1 };
    const color = scheme === 'dark' ? '#6096e0' : '#1f5fbf';
    const plot = new UPlot(
      {
        width: parent.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.1)] } },
        axes: [
          { stroke: text, grid: { show: false }, ticks: grid },
          { stroke: text, grid, ticks: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100, 1_000, 10_000, 100_000] },
        ],
        series: [
          {},
          { label, stroke: color, fill: color, points: { show: false }, paths: UPlot.paths.bars!({ size: [0.7, 40] }) },
        ],
      },
      [times, values],
      parent,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    observer.observe(parent);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [label, times, values, scheme]);
  return <div ref={box} role="img" aria-label={label} style={{ width: '100%', minHeight: HEIGHT }} />;
}
