/** Receipts whose cost the chain does not know, those of one sender and coin together. */

import { dataset } from '../../state/dataset.js';
import type { Report } from '../../state/report.js';
import { loaded, type Row } from '../../state/rows.js';
import { Question } from './question.js';
import { ReceivedGroup } from './received-group.js';

const GROUPS_SHOWN = 20;

export function UnknownCosts({ shown }: { readonly shown: Report }) {
  const rows = unknownReceipts(shown);
  const groups = grouped(rows);
  const unsaid = groups.filter((group) => group.some(({ id }) => !isSaid(id, shown)));
  if (groups.length === 0) return null;
  return (
    <Question title="Receipts of unknown cost" left={unsaid.length} isFirst={false}>
      <p>
        These coins came from somebody else, or from a place these records do not see. Say what they were, or what they
        had cost; until then a sale of them has no gain.
      </p>
      <ul class="items">
        {groups.slice(0, GROUPS_SHOWN).map((group) => (
          <ReceivedGroup key={group[0]!.id} rows={group} />
        ))}
      </ul>
      {groups.length > GROUPS_SHOWN && (
        <p class="fine">
          {groups.length - GROUPS_SHOWN} more senders: tag their rows in the table below, where you can search for them.
        </p>
      )}
    </Question>
  );
}

/** Rows of the categories whose receipts have no known basis, but for those that are spam, or carried between own wallets. */
export function unknownReceipts({ receipts, stated, asked }: Report): Row[] {
  const unknown = new Set(dataset.value?.unknown_basis ?? []);
  const kept = (id: string) => ['keep', 'override'].includes(stated.decisions[id]?.mode ?? '');
  const spam = new Set(receipts.map(({ record_id }) => record_id).filter((id) => !kept(id)));
  const own = new Set(stated.carry ? asked.addresses : []);
  return loaded.value.rows.filter(
    (row) => unknown.has(row.category) && row.receivedAmount !== '' && !spam.has(row.id) && !own.has(row.counterparty),
  );
}

const isSaid = (id: string, { stated }: Pick<Report, 'stated'>): boolean =>
  stated.tags[id] !== undefined || stated.decisions[id]?.mode === 'override';

function grouped(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.address} ${row.counterparty} ${row.receivedDenom}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}
