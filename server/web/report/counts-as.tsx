/**
 * Shows how a row is taxed, for example as income or as a sale. This follows from the API's treatment of the row's
 * category or tag.
 */
import { Usd } from '../parts.js';
import { dataset, type Effect } from '../state/dataset.js';
import { effectOf, outEffectOf } from '../state/questions.js';
import { type Report, report } from '../state/report.js';
import type { Row } from '../state/rows.js';
import { carries, decisionOf, statesCost } from '../state/statements.js';
import { dollars } from '../values/decimal.js';

interface Counted {
  readonly words: string;
  /** True if the row's value is part of a sum in the report: income, proceeds or cost. */
  readonly isValued: boolean;
}

const WORDS: Readonly<Record<Effect, Counted>> = {
  income: { words: 'income', isValued: true },
  bought: { words: 'acquired', isValued: true },
  free: { words: 'acquired at no cost', isValued: false },
  unknown_cost: { words: 'received, cost unknown', isValued: false },
  sold: { words: 'sold', isValued: true },
  no_gain: { words: 'no sale', isValued: false },
  kept: { words: 'still yours', isValued: false },
};

const NOTHING: Counted = { words: 'no tax effect', isValued: false };

export function countsAs(row: Row, { query, stated }: Report): Counted {
  if (row.valueStatus === 'excluded') return { words: 'left out', isValued: false };
  if (row.receivedAmount !== '' && decisionOf(row, stated)?.mode === 'return')
    return { words: 'came home', isValued: false };
  if (isMoved(row, query, stated)) return { words: 'moved between your wallets', isValued: false };
  const effect = effectOf(row);
  if (effect === undefined) return NOTHING;
  if (effect === 'unknown_cost' && statesCost(decisionOf(row, stated)))
    return { words: 'received, cost known', isValued: false };
  if (effect !== 'no_gain' || row.userTag === '') return WORDS[effect];
  const label = dataset.value?.tags.find(({ tag }) => tag === row.userTag)?.label ?? row.userTag;
  return { words: `${label.toLowerCase()}, no sale`, isValued: false };
}

/** Returns whether the row's lots move to another wallet of the report. */
const isMoved = (row: Row, query: Report['query'], stated: Report['stated']): boolean =>
  carries(query, stated) &&
  row.userTag === '' &&
  row.counterparty !== row.address &&
  query.addresses.includes(row.counterparty);

/** Returns whether a row is one of the sales that the summary counts. A refund makes a payment no sale. */
export function isSale(row: Row, { query, stated, summary }: Report): boolean {
  if (row.sentAmount === '' && row.feeAmount === '') return false;
  if (isMoved(row, query, stated) || outEffectOf(row) !== 'sold') return false;
  return !summary.wallets.some((wallet) => wallet.address === row.address && wallet.refunded_rows.includes(row.id));
}

/** Shows the value of a row and its tax treatment, for example "income". */
export function CountsAs({ row }: { readonly row: Row }) {
  const shown = report.value;
  return (
    <>
      <Usd value={row.priceMissing ? '' : row.valueUsd} />
      {shown && <span class="effect">{countsAs(row, shown).words}</span>}
    </>
  );
}

/** Returns value and tax treatment as one text, for narrow screens. */
export function valueWords(row: Row): string {
  const value = row.priceMissing ? 'no price' : dollars(row.valueUsd);
  return report.value ? `${value} · ${countsAs(row, report.value).words}` : value;
}
