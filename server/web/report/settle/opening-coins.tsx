import { Address } from '../../parts/address.js';
import { Coins } from '../../parts/figure.js';
import type { OpeningHolding } from '../../state/opening-holdings.js';
import { readableDay } from '../../values/dates.js';
import { isZero, sumOf } from '../../values/decimal.js';
import { LotTable } from './lot-table.js';
import { Question } from './question.js';

interface OpeningCoinsProps {
  readonly holdings: readonly OpeningHolding[];
  readonly indexStart: string;
}

export function OpeningCoins({ holdings, indexStart }: OpeningCoinsProps) {
  const open = holdings.filter(({ unstated }) => !isZero(unstated));
  return (
    <Question id="opening-coins" title="Coins from before the records" left={open.length} isFirst={false}>
      <p>
        The records begin on {readableDay(indexStart)}. They do not contain the cost of coins that you acquired before.
        Those coins count as sold first. If you do not know their cost, leave this open: no gain is computed for them,
        and your files note it.
      </p>
      <ul class="items">
        {holdings.map((holding) => (
          <li key={`${holding.address} ${holding.denom}`} class="item">
            <div class="item-head">
              <h4>
                <Coins value={holding.unstated} symbol={holding.asset} /> of unknown cost
              </h4>
              <p class="fine">
                <Address value={holding.address} />
                {holding.stated.length > 0 && (
                  <>
                    {' '}
                    · entered so far:{' '}
                    <Coins value={sumOf(holding.stated.map(({ quantity }) => quantity))} symbol={holding.asset} />
                  </>
                )}
              </p>
            </div>
            <LotTable holding={holding} indexStart={indexStart} />
          </li>
        ))}
      </ul>
    </Question>
  );
}
