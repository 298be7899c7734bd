/**
 * Shows coins that the user sent, grouped by receiver. Each group counts as sold until the user chooses another answer.
 */
import { useState } from 'preact/hooks';
import { Address, Coins, focusOn, Moment, Usd } from '../../parts.js';
import type { Report } from '../../state/report.js';
import { isComplete, type Row } from '../../state/rows.js';
import { askedSends } from '../../state/sends.js';
import { tagOf, tagSends } from '../../state/statements.js';
import { counted, sumOf } from '../../values/decimal.js';
import { countsAs } from '../counts-as.js';
import { TagChoice } from '../parts.js';
import { isBetweenOwn, OwnWalletNote } from './question.js';

const GROUPS_SHOWN = 20;
const ROWS_SHOWN = 50;

/** Answers to the question what a send was, each with the tags that the API accepts. A click sets the first tag. */
const CHOICES: readonly (readonly [label: string, ...tags: string[]])[] = [
  ['My own wallet or account', 'own_transfer'],
  ['Sale or payment', 'sale', 'payment', 'expense'],
  ['Gift', 'gift'],
  ['Donation', 'donation'],
  ['Lost or stolen', 'lost'],
];

export function Sends({ shown }: { readonly shown: Report }) {
  const [limit, setLimit] = useState(GROUPS_SHOWN);
  const rows = askedSends(shown);
  const open = rows.filter((row) => tagOf(row, shown.stated) === '');
  const groups = grouped(rows);
  const allToMe = () => {
    tagSends(open, 'own_transfer');
    focusOn('sends');
  };
  return (
    <>
      <p>
        The chain does not record why you sent these coins. Until you answer, each send counts as a sale at that day’s
        price. Coins that you sent to yourself, for example to an exchange, are not a sale. Your answer also counts for
        the same receiver in other years.
      </p>
      {!isComplete.value && <p class="fine">They are listed here after all transactions have loaded.</p>}
      {open.length > 1 && (
        <p>
          <button type="button" class="button small" onClick={allToMe}>
            All {open.length.toLocaleString('en-US')} went to my own wallets or accounts
          </button>
        </p>
      )}
      <ul class="items">
        {groups.slice(0, limit).map((group) => (
          <Receiver key={group[0]!.counterparty} rows={group} shown={shown} />
        ))}
      </ul>
      {groups.length > limit && (
        <p>
          <button type="button" class="quiet small" onClick={() => setLimit(limit + GROUPS_SHOWN)}>
            Show more of the other {groups.length - limit} receivers
          </button>
        </p>
      )}
    </>
  );
}

/** Groups sends by receiver. The receiver with the most unanswered sends comes first. */
function grouped(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.counterparty);
    if (group) group.push(row);
    else groups.set(row.counterparty, [row]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

function Receiver({ rows, shown }: { readonly rows: readonly Row[]; readonly shown: Report }) {
  const [isOpen, setOpen] = useState(false);
  const [first] = rows as [Row];
  const last = rows.at(-1)!;
  const tags = new Set(rows.map((row) => tagOf(row, shown.stated)));
  const tag = tags.size === 1 ? [...tags][0]! : undefined;
  const proposed = tag === '' && isBetweenOwn({ row: first, shown }) ? 'own_transfer' : undefined;
  const symbols = [...new Set(rows.map(({ sentCurrency }) => sentCurrency))];
  return (
    <li class="item send">
      <div class="item-head">
        <h4>
          {symbols.map((symbol, i) => (
            <>
              {i > 0 && ', '}
              <Coins
                value={sumOf(rows.filter((row) => row.sentCurrency === symbol).map(({ sentAmount }) => sentAmount))}
                symbol={symbol}
              />
            </>
          ))}
          {rows.length > 1 && ` in ${rows.length} sends`}
        </h4>
        <p class="fine">
          to {first.counterparty ? <Address value={first.counterparty} /> : 'an unknown receiver'} ·{' '}
          <Moment value={first.date} />
          {last.date.slice(0, 10) !== first.date.slice(0, 10) && (
            <>
              {' to '}
              <Moment value={last.date} />
            </>
          )}
        </p>
      </div>
      <Effects rows={rows} shown={shown} />
      <OwnWalletNote row={first} shown={shown} />
      <fieldset class="choices">
        <legend class="whole">
          {counted(rows.length, 'send')} to {first.counterparty || 'an unknown receiver'}: what were they?
        </legend>
        {CHOICES.map(([label, ...names]) => {
          const isChosen = tag !== undefined && names.includes(tag);
          return (
            <button
              key={label}
              type="button"
              class={names[0] === proposed ? 'button small' : 'quiet small'}
              aria-pressed={isChosen}
              onClick={() => tagSends(rows, isChosen ? '' : names[0]!)}
            >
              {label}
            </button>
          );
        })}
      </fieldset>
      {rows.length > 1 && (
        <details class="how" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            Answer each send<span class="whole"> to {first.counterparty}</span>
          </summary>
          {isOpen && <EachSend rows={rows} />}
        </details>
      )}
    </li>
  );
}

const EachSend = ({ rows }: { readonly rows: readonly Row[] }) => (
  <ul class="rows-of-group">
    {rows.slice(0, ROWS_SHOWN).map((row) => (
      <li key={row.id}>
        <p>
          <Moment value={row.date} withTime /> · <Coins value={row.sentAmount} symbol={row.sentCurrency} /> · worth{' '}
          <Usd value={row.priceMissing ? '' : row.valueUsd} />
        </p>
        <TagChoice row={row} />
      </li>
    ))}
    {rows.length > ROWS_SHOWN && (
      <li class="fine">{rows.length - ROWS_SHOWN} more: tag them in the table of transactions.</li>
    )}
  </ul>
);

/** Shows how the API taxes the sends, for example as a sale, with the sum of their values. */
function Effects({ rows, shown }: { readonly rows: readonly Row[]; readonly shown: Report }) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const { words } = countsAs(row, shown);
    groups.set(words, [...(groups.get(words) ?? []), row]);
  }
  return (
    <ul class="counts-as">
      {[...groups].map(([words, group]) => {
        const priced = group.filter(({ priceMissing }) => !priceMissing);
        const unpriced = group.length - priced.length;
        return (
          <li key={words}>
            Counts as: {words}
            {priced.length > 0 && countsAs(group[0]!, shown).isValued && (
              <>
                {' '}
                for{' '}
                <Usd
                  value={sumOf(
                    priced.map(({ valueUsd }) => valueUsd),
                    2,
                  )}
                />
              </>
            )}
            {groups.size > 1 && ` (${counted(group.length, 'send')})`}
            {unpriced > 0 && (group.length === 1 ? ', no price that day' : `, ${unpriced} without a price`)}
          </li>
        );
      })}
    </ul>
  );
}
