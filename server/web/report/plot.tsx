/** A line or area plot by uPlot, which is loaded on first use. A table beside it has the figures. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { FigureTable } from '../parts/figure-table.js';
import { Scroller } from '../parts/scroller.js';

export interface Line {
  readonly label: string;
  /** CSS variable of the color, such as '--series-1'. */
  readonly token: string;
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
}

interface PlotProps {
  readonly days: readonly string[];
  readonly lines: readonly Line[];
  /** Called with the index of the day under the pointer; undefined when the pointer leaves. */
  readonly onPoint?: (index: number | undefined) => void;
}

const HEIGHT = 200;

export function Plot({ days, lines, onPoint }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isUndrawn, setUndrawn] = useState(false);
  useEffect(() => {
    const element = place.current!;
    let plot: uPlot | undefined;
    let isGone = false;
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    const draw = async () => {
      const { default: Plotter } = await import('uplot');
      if (isGone) return;
      plot?.destroy();
      plot = new Plotter(optionsOf(element, lines, onPoint), dataOf(days, lines), element);
      resize.observe(element);
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    draw().catch(() => setUndrawn(true));
    return () => {
      isGone = true;
      dark.removeEventListener('change', draw);
      resize.disconnect();
      plot?.destroy();
    };
  }, [days, lines]);
  return (
    <>
      {isUndrawn && <p class="fine">The chart did not load. Its figures are in the table.</p>}
      <div ref={place} class="plot" aria-hidden="true" hidden={isUndrawn} />
    </>
  );
}

const dataOf = (days: readonly string[], lines: readonly Line[]): uPlot.AlignedData => [
  days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000),
  ...lines.map(({ values }) => [...values]),
];

function optionsOf(element: HTMLElement, lines: readonly Line[], onPoint: PlotProps['onPoint']): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (token: string) => resolved(element, token);
  const axis = { stroke: color('--plot-ink'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => new Date(seconds * 1000 + new Date(seconds * 1000).getTimezoneOffset() * 60_000),
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high === 0 ? 1 : high * 1.05] } },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, grid: { stroke: color('--plot-grid'), width: 1 }, size: (_plot, ticks) => gutter(ticks) },
    ],
    series: [
      {},
      ...lines.map(({ label, token, isFilled }) => ({
        label,
        stroke: color(token),
        width: 1.5,
        ...(isFilled && { fill: color(token) }),
        points: { show: false },
      })),
    ],
    hooks: { setCursor: [(plot) => onPoint?.(plot.cursor.idx ?? undefined)] },
  };
}

/** Resolves a CSS variable to a color, because a canvas supports neither variables nor light-dark(). */
function resolved(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  // In forced-colors mode, series keep their own colors; otherwise all areas would look the same.
  if (token.startsWith('--series')) probe.style.forcedColorAdjust = 'none';
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const gutter = (ticks: readonly string[] | null): number =>
  14 + 7 * Math.max(1, ...(ticks ?? []).map((tick) => tick.length));

interface DayTableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function DayTable({ caption, columns, rows }: DayTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Show as a table<span class="whole">: {caption}</span>
      </summary>
      {isOpen && (
        <Scroller label={caption} class="tall">
          <FigureTable caption={caption} columns={columns} rows={rows} />
        </Scroller>
      )}
    </details>
  );
}
