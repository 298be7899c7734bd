import { useLayoutEffect, useState } from 'preact/hooks';
import { Address } from '../../parts/address.js';
import { Coins } from '../../parts/figure.js';
import type { OpeningHolding } from '../../state/opening-holdings.js';
import { type OpeningLot, stateLots, statements } from '../../state/statements.js';
import { readableDay } from '../../values/dates.js';
import { isZero, sumOf, typedDecimal } from '../../values/decimal.js';
import { faultsOf, isBlank, type LotLine, pastedLots } from '../../values/pasted-table.js';
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

const BLANK: LotLine = { quantity: '', day: '', cost: '' };

const COLUMNS = [
  ['quantity', 'Amount', 'decimal'],
  ['day', 'Date acquired', 'text'],
  ['cost', 'Total cost, US dollars', 'decimal'],
] as const;

const lineOf = (lot: OpeningLot): LotLine => ({
  quantity: lot.quantity,
  day: lot.acquired_date,
  cost: lot.cost_basis_usd,
});

interface LotTableProps {
  readonly holding: OpeningHolding;
  readonly indexStart: string;
}

function LotTable({ holding: { address, denom, asset, stated }, indexStart }: LotTableProps) {
  const [lines, setLines] = useState<readonly LotLine[]>([BLANK]);
  // Shows the applied lots; unsaved input in other tables stays.
  useLayoutEffect(() => setLines([...stated.map(lineOf), BLANK]), [JSON.stringify(stated)]);
  const filled = lines.filter((line) => !isBlank(line));
  const faults = filled.flatMap((line) => Object.values(faultsOf(line, indexStart))).filter(Boolean);
  const set = (i: number, line: LotLine) => {
    const changed = lines.map((other, at) => (at === i ? line : other));
    setLines(isBlank(changed.at(-1)!) ? changed : [...changed, BLANK]);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    const pasted = /[\t;,\n]/.test(text.trim()) ? pastedLots(text) : [];
    if (pasted.length === 0) return;
    event.preventDefault();
    setLines([...filled, ...pasted, BLANK]);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (faults.length > 0) return;
    const others = statements.peek().openingLots.filter((lot) => lot.address !== address || lot.denom !== denom);
    const own = filled.map(({ quantity, day, cost }) => ({
      ...{ address, denom, quantity: typedDecimal(quantity)! },
      ...{ acquired_date: day, cost_basis_usd: typedDecimal(cost)! },
    }));
    stateLots([...others, ...own]);
  };
  return (
    <form class="lots" onSubmit={save} onPaste={paste} noValidate>
      <table class="figures">
        <caption class="fine">
          What did they cost? Type one line per purchase, or paste lines from a spreadsheet.
        </caption>
        <thead>
          <tr>
            {COLUMNS.map(([name, title]) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, i) => {
            const wrong = isBlank(line) ? undefined : faultsOf(line, indexStart);
            return (
              <tr key={i}>
                {COLUMNS.map(([name, title, mode]) => (
                  <td key={name} data-title={title}>
                    <input
                      inputMode={mode}
                      autocomplete="off"
                      aria-label={`${title} of ${asset}, line ${i + 1}`}
                      placeholder={name === 'day' ? 'YYYY-MM-DD' : ''}
                      value={line[name]}
                      aria-invalid={wrong?.[name] !== undefined && line[name] !== ''}
                      onInput={(event) => set(i, { ...line, [name]: event.currentTarget.value })}
                    />
                    {line[name] !== '' && wrong?.[name] && <p class="hint fault">{wrong[name]}</p>}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <button type="submit" class="button small" disabled={faults.length > 0 || filled.length + stated.length === 0}>
        {filled.length === 0 && stated.length > 0 ? 'Take back' : 'Use these costs'}
      </button>
    </form>
  );
}
