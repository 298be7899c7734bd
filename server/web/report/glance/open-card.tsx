/** Open questions, each linked to the place where it is answered. */
import type { OpenQuestion } from '../../../../schemas/types.generated.js';
import { goTo } from '../../parts/go-to.js';
import { showRows } from '../../state/filter.js';
import { type Report, undecided } from '../../state/report.js';
import { counted } from '../../values/counted.js';
import { openQuestion } from '../settle/question.js';
import { Card, Part, RowsButton } from './card.js';

export const OPEN_WORDS: Readonly<Record<OpenQuestion['question'], string>> = {
  undecided_receipts: 'Suspicious receipts',
  receipts_of_unknown_basis: 'Receipts of unknown cost',
  assets_of_unknown_basis: 'Assets held at unknown cost',
  unclassified_rows: 'Rows that nobody could explain',
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
            What the chain cannot tell is asked here rather than guessed: what coins from before the records cost you,
            whether a receipt is spam, whether two wallets are both yours. Only the suspicious receipts have to be
            answered before you download files. Anything else that you leave open is part of no gain, and your files say
            so.
          </p>
          {unpriced > 0 && (
            <p>
              On some days the markets did not agree on a price for one or more coins. What came or left on these days
              is in the files with its amount, so that your tax program or accountant can price it.
            </p>
          )}
          <RowsButton show={() => goTo('settle-title')}>Answer the open questions</RowsButton>
        </>
      }
    />
  );
}
