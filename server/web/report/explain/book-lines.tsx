import { useEffect, useState } from 'preact/hooks';
import type { Journal, JournalLine } from '../../../../schemas/types.generated.js';
import { isAbort, messageOf, post } from '../../api/client.js';
import { PATHS } from '../../api/paths.js';
import { Usd } from '../../parts/figure.js';
import { FigureTable } from '../../parts/figure-table.js';
import { Scroller } from '../../parts/scroller.js';
import { report } from '../../state/report.js';
import type { Row } from '../../state/rows.js';
import { ledgerBody } from '../../state/statements.js';
import { readableDay } from '../../values/dates.js';

export function BookLines({ row }: { readonly row: Row }) {
  const [lines, setLines] = useState<readonly JournalLine[]>();
  const [failure, setFailure] = useState('');
  const shown = report.value;
  useEffect(() => {
    if (!shown) return;
    const abort = new AbortController();
    const day = row.date.slice(0, 10);
    const body = { ...ledgerBody({ ...shown.asked, start: day, end: day }, shown.stated), format: 'json' };
    post<Journal>(PATHS.journal, body, abort.signal).then(
      (journal) => setLines(journal.lines.filter((line) => isOf(line, row))),
      (error) => isAbort(error) || setFailure(messageOf(error)),
    );
    return () => abort.abort();
  }, [shown, row]);
  return (
    <section class="panel-part" aria-busy={!lines && failure === ''}>
      <h3>Journal entries</h3>
      {failure && <p>{failure}</p>}
      {lines?.length === 0 && <p>None: it moves coins within the wallet, or belongs to another transaction.</p>}
      {lines && lines.length > 0 && <Lines lines={lines} />}
      {notesOf(lines ?? []).map((note) => (
        <p key={note}>{note}</p>
      ))}
    </section>
  );
}

/** An entry's id begins with its row's id. */
const isOf = (line: JournalLine, row: Row) => line.address === row.address && line.entry_id.startsWith(`${row.id}-`);

const Lines = ({ lines }: { readonly lines: readonly JournalLine[] }) => (
  <Scroller label="Journal lines">
    <FigureTable
      columns={['Account', 'Debit', 'Credit']}
      rows={lines.map(({ account, debit_usd, credit_usd }) => [
        account,
        debit_usd && <Usd key="debit" value={debit_usd} />,
        credit_usd && <Usd key="credit" value={credit_usd} />,
      ])}
    />
  </Scroller>
);

function notesOf(lines: readonly JournalLine[]): string[] {
  const acquired = (day: string) => (day === 'VARIOUS' ? 'on several days' : `on ${readableDay(day)}`);
  const notes = lines.flatMap(({ acquired: day, term, memo }) => [
    ...(day ? [`Lots acquired ${acquired(day)}${term ? `, held ${TERMS[term]}` : ''}.`] : []),
    ...(memo ? [`Note: ${memo}.`] : []),
  ]);
  return [...new Set(notes)];
}

const TERMS = {
  SHORT: 'for a year or less',
  LONG: 'for more than a year',
  MIXED: 'partly for more than a year',
} as const;
