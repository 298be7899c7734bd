import type { SummarySheet } from '../../../../schemas/types.generated.js';
import { Usd } from '../../parts/figure.js';
import { showRows } from '../../state/filter.js';
import { counted } from '../../values/counted.js';
import { isZero } from '../../values/decimal.js';
import { openQuestion } from '../settle/question.js';
import { Card, Part, RowsButton, Without } from './card.js';

export function GainsCard({ sheet: { disposed, disposals } }: { readonly sheet: SummarySheet }) {
  const unknown = disposed.proceeds_basis_unknown_usd;
  const categories = [...new Set(disposals.map(({ category }) => category))];
  return (
    <Card
      title="Gains and losses"
      figure={<Usd value={disposed.gain_usd} signed />}
      parts={
        <>
          <Part name="Held for a year or less">
            <Usd value={disposed.gain_short_usd} signed />
          </Part>
          <Part name="Held for longer">
            <Usd value={disposed.gain_long_usd} signed />
          </Part>
          <Without
            name={
              <>
                Not included: sold at{' '}
                <RowsButton show={() => openQuestion('opening-coins', 'unknown-costs')}>
                  unknown cost<span class="whole">: enter it</span>
                </RowsButton>
              </>
            }
            text={unknown === '' || isZero(unknown) ? '' : <Usd value={unknown} />}
          />
          <Without
            name="Not included: no price"
            text={disposed.without_price === 0 ? '' : counted(disposed.without_price, 'disposal')}
          />
        </>
      }
      how={
        <>
          <p>
            When coins leave the wallet in exchange for something, the gain is their value on that day minus their cost.
            The coins acquired first are sold first (FIFO), and every wallet has its own lots.
          </p>
          <dl class="sums">
            <Part name="Proceeds">
              <Usd value={disposed.proceeds_usd} />
            </Part>
            <Part name="Known cost">
              <Usd value={disposed.cost_usd} />
            </Part>
            <Part name="Proceeds of coins of unknown cost (part of no gain)">
              <Usd value={unknown} />
            </Part>
          </dl>
          {disposed.count > 0 && (
            <RowsButton show={() => showRows({ categories })}>
              Show the transactions of {counted(disposed.count, 'disposal')}
            </RowsButton>
          )}
        </>
      }
    />
  );
}
