/** Open questions, each linked to the place where it is answered. */
import type { OpenQuestion } from '../../../../schemas/types.generated.js';
import { goTo } from '../../parts/go-to.js';
import { showRows } from '../../state/filter.js';
import { type Report, undecided } from '../../state/report.js';
import { counted } from '../../values/counted.js';
import { openQuestion } from '../settle/question.js';
import { Card, Part, RowsButton } from './card.js';

export const OPEN_WORDS: Readonly<Record<OpenQuestion['question'], string>> = {
  undecided_receipts: 'Suspicious incoming transfers',
  receipts_of_unknown_basis: 'Incoming transfers of unknown cost',
  assets_of_unknown_basis: 'Assets held at unknown cost',
  unclassified_rows: 'Unclassified transactions',
  days_without_price: 'Days without a price',
};

/** Actions that lead to the answer; days without a price have none. */
const ACTIONS: Readonly<Partial<Record<OpenQuestion['question'], () => void>>> = {
  undecided_receipts: () => openQuestion('receipts'),
  receipts_of_unknown_basis: () => openQuestion('unknown-costs'),
  assets_of_unknown_basis: () => openQuestion('opening-coins', 'unknown-costs'),
  unclassified_rows: () => showRows({ categories: ['unclassified'] }),
};

/** Counts coins, not days: days of several coins would add up to more than a year. */
function coinsWithoutPrice({ summary }: Report): number {
  const lines = summary.total.open.filter(({ question, count }) => question === 'days_without_price' && count > 0);
  return new Set(lines.map(({ denom }) => denom)).size;
}

export function OpenCard({ shown }: { readonly shown: Report }) {
  const counts = new Map<OpenQuestion['question'], number>();
  for (const { question, count } of shown.summary.total.open) counts.set(question, (counts.get(question) ?? 0) + count);
  counts.set('undecided_receipts', undecided(shown).length);
  const { carry } = shown.stated;
  const transfers = carry ? 0 : shown.summary.own_transfers.length;
  const open = [...counts].filter(([question, count]) => count > 0 && question in ACTIONS);
  const questions = open.length + (transfers > 0 ? 1 : 0);
  const unpriced = coinsWithoutPrice(shown);
  return (
    <Card
      title="Open questions"
      figure={<span class="figure">{questions === 0 ? 'None' : counted(questions, 'question')}</span>}
      parts={
        <>
          {open.map(([question, count]) => (
            <Part key={question} name={<RowsButton show={ACTIONS[question]!}>{OPEN_WORDS[question]}</RowsButton>}>
              <span class="figure">{count}</span>
            </Part>
          ))}
          {transfers > 0 && (
            <Part name={<RowsButton show={() => openQuestion('own-transfers')}>Transfers between wallets</RowsButton>}>
              <span class="figure">{transfers}</span>
            </Part>
          )}
          {unpriced > 0 && (
            <Part name="Coins without a price on some days">
              <span class="figure">{unpriced}</span>
            </Part>
          )}
        </>
      }
      how={
        <>
          <p>
            Some facts are not on the chain: the cost of coins from before the records, whether a transfer is spam,
            whether two wallets are yours. You only need to decide about suspicious incoming transfers before you
            download files. Other coins of unknown cost are part of no gain, and your files note it.
          </p>
          {unpriced > 0 && (
            <p>
              On some days the markets did not agree on a price for one or more coins. Transactions of these days are in
              the files with their amounts, so that your tax program or accountant can price them.
            </p>
          )}
          <RowsButton show={() => goTo('settle-title')}>Answer the open questions</RowsButton>
        </>
      }
    />
  );
}
