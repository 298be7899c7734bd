/** Card of what is still open, with the way to each question. */
import type { OpenQuestion } from '../../../../schemas/types.generated.js';
import { goTo } from '../../parts/go-to.js';
import { type Report, undecided } from '../../state/report.js';
import { openQuestion } from '../settle/question.js';
import { Card, Part, RowsButton } from './card.js';

/** Questions in plain words. */
export const OPEN_WORDS: Readonly<Record<OpenQuestion['question'], string>> = {
  undecided_receipts: 'Suspicious receipts',
  receipts_of_unknown_basis: 'Receipts of unknown cost',
  assets_of_unknown_basis: 'Assets held at unknown cost',
  unclassified_rows: 'Rows that nobody could explain',
  days_without_price: 'Days without a price',
};

/** Places where their owner answers them. */
const PLACES: Readonly<Partial<typeof OPEN_WORDS>> = {
  undecided_receipts: 'receipts',
  receipts_of_unknown_basis: 'unknown-costs',
  assets_of_unknown_basis: 'opening-coins',
};

export function OpenCard({ shown }: { readonly shown: Report }) {
  const counts = new Map<OpenQuestion['question'], number>();
  for (const { question, count } of shown.summary.total.open) counts.set(question, (counts.get(question) ?? 0) + count);
  counts.set('undecided_receipts', undecided(shown).length);
  const open = [...counts].filter(([, count]) => count > 0);
  return (
    <Card
      title="Still open"
      figure={
        <span class="figure">
          {open.length === 0 ? 'Nothing' : `${open.length} ${open.length === 1 ? 'question' : 'questions'}`}
        </span>
      }
      parts={open.map(([question, count]) => (
        <Part
          key={question}
          name={
            question in PLACES ? (
              <RowsButton show={() => openQuestion(PLACES[question]!)}>{OPEN_WORDS[question]}</RowsButton>
            ) : (
              OPEN_WORDS[question]
            )
          }
        >
          <span class="figure">{count}</span>
        </Part>
      ))}
      how={
        <>
          <p>
            What the chain cannot tell is asked here rather than guessed: what coins from before the records had cost,
            whether a receipt is spam, whether two wallets are both yours.
          </p>
          <RowsButton show={() => goTo('settle-title')}>Settle what is open</RowsButton>
        </>
      }
    />
  );
}
