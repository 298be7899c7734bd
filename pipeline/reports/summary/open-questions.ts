/** The open questions of a period: what a person has to look at before filing, each with a link to where it shows. */
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

/** One open question, as published. */
export interface QuestionLine {
  readonly question: Question;
  /** Symbol and denom where it is about one asset, else ''. */
  readonly asset: string;
  readonly denom: string;
  /** Number of receipts, assets, UTC days or rows. */
  readonly count: number;
  /** Path and query of the answer that shows them. */
  readonly link: string;
}

/** The wallets and days that links name. */
export interface Scope {
  readonly addresses: readonly string[];
  /** First and last UTC day. */
  readonly days: readonly [string, string];
  /** The last of these days that the index has, whose positions are those at the end of the period. */
  readonly closingDay: string;
}

const UNCLASSIFIED = 'unclassified';

export class OpenQuestions {
  private undecided = 0;
  private unclassified = 0;
  private unknownReceipts = 0;
  private readonly unpriced = new Groups<{ denom: string }, { days: Set<string> }>(() => ({ days: new Set() }));

  /** Adds flagged receipts that nobody has decided about. */
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

  /** @param unknownAssets number of assets of which a part has no known basis at the end */
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

/** The published prices around some days; undefined where they are too far apart for one answer of /price-series. */
function linkToPrices(denom: string, days: ReadonlySet<string>): string | undefined {
  const sorted = [...days].sort();
  const [start, end] = [sorted[0]!, sorted.at(-1)!];
  // Two calendar years have 731 days at most, and so many are answered.
  const years = Number(end.slice(0, 4)) - Number(start.slice(0, 4));
  return years > 1 ? undefined : linkTo('price-series', { denom, start, end });
}
