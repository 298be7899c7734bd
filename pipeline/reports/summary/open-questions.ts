/** Open questions of a period, each with a link to the affected rows. */
import type { LedgerEntry } from '../../../schemas/types.generated.js';
import type { Rules } from '../../ledger/rules.js';
import type { EventRow } from '../event-row.js';
import { Groups } from './groups.js';

export type Question =
  | 'undecided_receipts'
  | 'receipts_of_unknown_basis'
  | 'assets_of_unknown_basis'
  | 'days_without_price'
  | 'unclassified_rows';

export interface QuestionLine {
  readonly question: Question;
  /** '' unless the question concerns one asset. */
  readonly asset: string;
  readonly denom: string;
  /** Receipts, assets, UTC days or rows. */
  readonly count: number;
  /** Path and query of the response that shows them. */
  readonly link: string;
}

export interface Scope {
  readonly addresses: readonly string[];
  /** First and last UTC day. */
  readonly days: readonly [string, string];
  /** Last indexed day of the period; its positions are the closing positions. */
  readonly closingDay: string;
}

const UNCLASSIFIED = 'unclassified';

export class OpenQuestions {
  private undecided = 0;
  private unclassified = 0;
  private unknownReceipts = 0;
  private readonly unpriced = new Groups<{ denom: string }, { days: Set<string> }>(() => ({ days: new Set() }));

  addUndecided(receipts: number): void {
    this.undecided += receipts;
  }

  note({ event, priceMissing }: EventRow): void {
    if (event.category === UNCLASSIFIED) this.unclassified++;
    const denom = event.received_denom ?? event.sent_denom ?? event.fee_denom;
    if (priceMissing && denom !== null) this.unpriced.of({ denom }).days.add(event.time.slice(0, 10));
  }

  add({ act, basis_unknown_quantity }: LedgerEntry): void {
    if (act === 'acquire' && (basis_unknown_quantity ?? 0n) > 0n) this.unknownReceipts++;
  }

  /** @param unknownAssets closing assets with an unknown basis */
  lines(unknownAssets: number, rules: Rules, scope: Scope): QuestionLine[] {
    const address = scope.addresses.join(',');
    const [start, end] = scope.days;
    const date = scope.closingDay;
    const period = { address, start, end };
    const line = (question: Question, count: number, link: string, asset = '', denom = ''): QuestionLine => {
      return { question, asset, denom, count, link };
    };
    return [
      line('undecided_receipts', this.undecided, linkTo('asset-review', { address })),
      line('receipts_of_unknown_basis', this.unknownReceipts, linkTo('journal', { ...period, format: 'json' })),
      line('assets_of_unknown_basis', unknownAssets, linkTo('positions', { address, date })),
      line('unclassified_rows', this.unclassified, linkTo('events', period)),
      ...this.unpriced.list().map(({ denom, days }) => {
        const prices = rules.denomOf(denom) === undefined ? undefined : linkToPrices(denom, days);
        const link = prices ?? linkTo('events', period);
        return line('days_without_price', days.size, link, rules.denomination(denom).symbol, denom);
      }),
    ];
  }
}

const linkTo = (answer: string, query: Readonly<Record<string, string>>): string =>
  `/api/tax/v1/${answer}?${new URLSearchParams(query)}`;

/** Returns undefined if the days do not fit into one /price-series response. */
function linkToPrices(denom: string, days: ReadonlySet<string>): string | undefined {
  const sorted = [...days].sort();
  const [start, end] = [sorted[0]!, sorted.at(-1)!];
  // Two calendar years have at most 731 days, the limit of a response.
  const years = Number(end.slice(0, 4)) - Number(start.slice(0, 4));
  return years > 1 ? undefined : linkTo('price-series', { denom, start, end });
}
