import { formatCents, parseDecimal } from '../../pipeline/base/values/amount.js';
import type { Endpoint } from '../api/endpoint.js';
import type { Answer } from '../http/answer.js';
import type { Dataset } from '../tax/dataset/dataset.js';
import { partiesOf, type WordedRow } from '../tax/formats/profiles/importers/importer.js';
import { IMPORTERS, wordedRows } from '../tax/formats/profiles/importers/index.js';
import type { ValidParameters } from '../tax/parameters/parameters.js';
import { daysOf } from '../tax/parameters/time-range.js';

export const ownSends = {
  kind: 'dataset',
  method: 'GET',
  path: '/api/tax/v1/own-sends',
  summary: 'Sends to the owner’s other accounts in a file for a tax program.',
  description:
    'Many programs count a send to an own account as sold until they also have the receiving account. This endpoint counts ' +
    'such sends in the files of /events with the same profile, with the sum of their values and their receivers. These are sends ' +
    'with the tag own_transfer and IBC transfers to the sender’s own key. Sends to another of the requested wallets are left out, ' +
    'because its file has the receipt.',
  parameters: ['address', 'chain', 'start', 'end', 'tags', 'asset_decisions', 'import_profile'],
  response: 'own-sends',
  post: true,
  policy: 'tax',
  replayed: true,
  decisions: { period: ({ range }) => range, saved: true, undecided: 'refused' },
  handle({ parameters, dataset }): Answer {
    const { addresses, range, import_profile: profile } = parameters;
    const [start, end] = daysOf({ range }, dataset);
    const total = new Sends();
    const byReceiver = new Map<string, Sends>();
    for (const row of ownSendRows(parameters, dataset)) {
      const key = partiesOf(row).join(' ');
      const sends = byReceiver.get(key) ?? new Sends(partiesOf(row));
      byReceiver.set(key, sends);
      for (const sums of [total, sends]) sums.add(row);
    }
    return {
      json: {
        ...{ addresses, profile, start, end },
        ...total.figures(),
        receivers: [...byReceiver.values()]
          .sort((a, b) => b.compare(a))
          .map((sends) => ({ addresses: sends.receivers, ...sends.figures() })),
        coverage: dataset.coverageOf(range, addresses),
      },
    };
  },
} satisfies Endpoint;

/** Yields the rows of the files that send coins to own accounts outside the requested wallets. */
function* ownSendRows(parameters: ValidParameters, dataset: Dataset): Generator<WordedRow, void, undefined> {
  const { addresses, range, decisions, import_profile: profile } = parameters;
  const importer = IMPORTERS[profile as keyof typeof IMPORTERS];
  const wallets = new Set<string | null>(addresses);
  for (const address of addresses) {
    const rowQuery = { addresses: [address], range, decisions, type: 'all', opening: 'none', openingLots: [] } as const;
    for (const row of wordedRows(importer, rowQuery, dataset)) {
      const isOwn = row.sent && (row.kind === 'own_transfer' || row.kind === 'own_key');
      if (isOwn && (isIbc(row) || !wallets.has(row.row.event.counterparty))) yield row;
    }
  }
}

/** A receiver on another chain may have the address of a requested wallet, but no file has the receipt. */
const isIbc = ({ row: { category } }: WordedRow): boolean => category.groups.includes('ibc_out');

class Sends {
  private count = 0;
  private cents = 0n;
  private unpriced = 0;

  constructor(readonly receivers: readonly string[] = []) {}

  add({ value, row }: WordedRow): void {
    this.count++;
    if (row.priceMissing) this.unpriced++;
    else if (value !== '') this.cents += parseDecimal(value, 2); // '' is less than half a cent
  }

  /** Orders by value, then by number. */
  compare(other: Sends): number {
    return this.cents === other.cents ? this.count - other.count : this.cents < other.cents ? -1 : 1;
  }

  figures() {
    const isUnknown = this.count > 0 && this.count === this.unpriced;
    return {
      count: this.count,
      value_usd: isUnknown ? '' : formatCents(this.cents),
      without_price: this.unpriced,
    };
  }
}
