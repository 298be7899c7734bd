/** Changes that the last answer made in the figures. */
import { Usd } from '../../parts/figure.js';
import { before, type Report } from '../../state/report.js';

type Sheet = Report['summary']['total'];

const FIGURES: readonly (readonly [name: string, of: (sheet: Sheet) => string])[] = [
  ['Income', (sheet) => sheet.income_usd],
  ['Gains and losses', (sheet) => sheet.disposed.gain_usd],
  ['Sold at unknown cost', (sheet) => sheet.disposed.proceeds_basis_unknown_usd],
  ['Network fees', (sheet) => sheet.fees_usd],
];

const open = (sheet: Sheet) => sheet.open.reduce((sum, { count }) => sum + count, 0);

export function Changes({ shown }: { readonly shown: Report }) {
  const earlier = before.value;
  const sheets = earlier ? ([earlier.summary.total, shown.summary.total] as const) : undefined;
  const changed = sheets ? FIGURES.filter(([, of]) => of(sheets[0]) !== of(sheets[1])) : [];
  const openChange = sheets ? open(sheets[1]) - open(sheets[0]) : 0;
  return (
    <div class="changes" role="status">
      {sheets && (
        <>
          <strong>Your answer counts.</strong> {changed.length === 0 && 'No sum of these days changes.'}
          {changed.map(([name, of]) => (
            <span key={name} class="change">
              {name}: <Usd value={of(sheets[0])} /> <span aria-hidden="true">→</span>
              <span class="whole">is now</span> <Usd value={of(sheets[1])} />
            </span>
          ))}
          {openChange < 0 && <span class="change">{-openChange} fewer open.</span>}
        </>
      )}
    </div>
  );
}
