/**
 * Formats the table of the benchmarks. Each line is a measured value, with its ratio to other programs and its target.
 */

export interface Measure {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  /** Values of other programs for the same work, in the same unit. */
  readonly against?: readonly Comparison[];
  readonly target?: Target;
}

interface Comparison {
  readonly what: string;
  readonly figure: number;
}

/** Minimum ratio to the first comparison, or maximum value. */
type Target = { readonly ratio: number } | { readonly atMost: number };

const amount = (figure: number) =>
  figure.toLocaleString('en', figure < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 });

function targetText({ figure, unit, against = [], target }: Measure): string {
  if (!target) return '';
  if ('atMost' in target) return `wanted ≤ ${amount(target.atMost)} ${unit}${figure > target.atMost ? ': missed' : ''}`;
  const isMissed = figure / against[0]!.figure < target.ratio;
  return `wanted ≥ ${amount(target.ratio)} ×${isMissed ? ': missed' : ''}`;
}

function cellsOf(measure: Measure, comparisons: number): string[] {
  const { what, figure, unit, against = [] } = measure;
  const compared = Array.from({ length: comparisons }, (_, i) => {
    const other = against[i];
    return other ? `${amount(figure / other.figure)} × ${other.what} (${amount(other.figure)})` : '';
  });
  return [what, `${amount(figure)} ${unit}`, ...compared, targetText(measure)];
}

export function formatTable(measures: readonly Measure[]): string {
  const comparisons = Math.max(...measures.map(({ against }) => against?.length ?? 0));
  const rows = measures.map((measure) => cellsOf(measure, comparisons));
  return alignColumns(rows, (column) => column === 1);
}

/** Pads cells to the width of their column. */
export function alignColumns(rows: readonly string[][], isNumber: (column: number) => boolean): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const cell = (text: string, column: number) =>
    isNumber(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!);
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
