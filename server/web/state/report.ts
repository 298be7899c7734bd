/** Loads the report's amounts, and reloads them when the user changes a statement (an answer, a tag or a purchase). */
import { effect, signal } from '@preact/signals';
import type {
  AssetReview,
  FlaggedReceiptRecord,
  OwnTransfersOfAsset,
  Summary,
  TaxYear,
} from '../../../schemas/types.generated.js';
import { ApiError, isAbort, messageOf, post } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { countedOnly, isPending, taxYearBody } from './country.js';
import { datasetFailure } from './dataset.js';
import { currentQuery, type ReportQuery } from './query.js';
import { syncWithAccount } from './saved-statements.js';
import {
  carries,
  decisionOf,
  hasStatements,
  instantsOf,
  ledgerBody,
  requestBody,
  type StatedRow,
  type Statements,
  statements,
  zoneIn,
} from './statements.js';
import { proposedZone, UTC } from './zone.js';

export interface Report {
  readonly query: ReportQuery;
  readonly stated: Statements;
  readonly summary: Summary;
  /** The year by the rules of the country; undefined for the usual report. */
  readonly taxYear: TaxYear | undefined;
  /**
   * Flagged receipts up to the last day of the period. Earlier receipts are included, because they change the period's
   * lots.
   */
  readonly receipts: readonly FlaggedReceiptRecord[];
  /** Transfers between the user's wallets, whether or not they keep their cost. */
  readonly transfers: readonly OwnTransfersOfAsset[];
}

export const report = signal<Report | undefined>(undefined);
/** The report before the last statement, for showing what changed. */
export const before = signal<Report | undefined>(undefined);
export const isLoading = signal(false);
export const failure = signal('');
/** True if the last error is that the API rejected a statement, for example an outdated one from an earlier visit. */
export const isForStatements = signal(false);

let current: AbortController | undefined;
interface OfPeriod {
  readonly query: ReportQuery;
  readonly zone: string;
}

let transfersOf: (OfPeriod & { readonly transfers: readonly OwnTransfersOfAsset[] }) | undefined;
let receiptsOf: (OfPeriod & { readonly receipts: readonly FlaggedReceiptRecord[] }) | undefined;

const isOf = (known: OfPeriod | undefined, query: ReportQuery, stated: Statements): boolean =>
  known?.query === query && known.zone === zoneIn(stated);

/** Loads the report when wallets, days or statements change. A newer request cancels the current one. */
effect(() => {
  const [query, stated] = [currentQuery.value, statements.value];
  proposedZone.value; // reloads the report if the API rejected the proposed zone
  current?.abort();
  current = undefined;
  if (!query) {
    report.value = undefined;
    failure.value = '';
    return;
  }
  // The days and the figures depend on the rules.
  if (isPending.value) {
    isLoading.value = datasetFailure.value === '';
    failure.value = datasetFailure.value;
    return;
  }
  current = new AbortController();
  void load(query, stated, current.signal);
});

export function cancel(): void {
  current?.abort();
  isLoading.value = false;
  failure.value = 'Stopped before your figures were ready.';
}

async function load(query: ReportQuery, stated: Statements, abort: AbortSignal): Promise<void> {
  isLoading.value = true;
  isForStatements.value = false;
  if (stated !== report.peek()?.stated) failure.value = '';
  const known = comparable(report.peek(), query, stated);
  if (!known) report.value = undefined;
  try {
    if (!(await syncWithAccount(query.addresses, stated))) return;
    const [body, yearBody] = bodiesOf(query, stated);
    if (known && isSame([body, yearBody], bodiesOf(query, known.stated))) {
      before.value = known;
      report.value = { ...known, stated };
      isLoading.value = false;
      return;
    }
    const [receipts, summary, taxYear] = await Promise.all([
      receiptsFor(query, stated, abort),
      post<Summary>(PATHS.summary, body, abort),
      yearBody && post<TaxYear>(PATHS.taxYear, yearBody, abort),
    ]);
    const transfers = await transfersFor(query, stated, summary, abort);
    before.value = known;
    report.value = { query, stated, summary, taxYear, receipts, transfers };
    isLoading.value = false;
  } catch (error) {
    if (isAbort(error)) return;
    if (stated.timezone === '' && isAboutZone(error)) {
      proposedZone.value = UTC;
      return;
    }
    failure.value = messageOf(error);
    isLoading.value = false;
    if (!(error instanceof ApiError && error.problem?.errors)) return;
    // If the API rejects a statement, restores the last accepted statements, so that the report stays valid.
    if (known) statements.value = known.stated;
    else isForStatements.value = hasStatements(stated);
  }
}

/** Returns the shown report if it has the same wallets, days, country and currency; otherwise undefined. */
function comparable(shown: Report | undefined, query: ReportQuery, stated: Statements): Report | undefined {
  const isSameCountry = shown?.stated.country === stated.country && shown.stated.currency === stated.currency;
  return shown?.query === query && isSameCountry ? shown : undefined;
}

/** Returns the requests for the summary, and for the tax year of a country. */
const bodiesOf = (query: ReportQuery, stated: Statements) =>
  [countedOnly(ledgerBody(query, stated), stated), taxYearBody(query, stated)] as const;

/** Returns true if the API does not accept the time zone, for example because its database is older. */
const isAboutZone = (error: unknown): boolean =>
  error instanceof ApiError && (error.problem?.errors?.some(({ path }) => path === 'timezone') ?? false);

const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

async function receiptsFor(
  query: ReportQuery,
  stated: Statements,
  abort: AbortSignal,
): Promise<readonly FlaggedReceiptRecord[]> {
  if (receiptsOf && isOf(receiptsOf, query, stated)) return receiptsOf.receipts;
  const { end } = instantsOf(query, stated);
  const review = await post<AssetReview>(PATHS.review, { address: query.addresses, end }, abort);
  receiptsOf = { query, zone: zoneIn(stated), receipts: review.records };
  return review.records;
}

/**
 * Loads the transfers between wallets. The request does not carry costs over, because the API would then list no
 * transfers.
 */
async function transfersFor(
  query: ReportQuery,
  stated: Statements,
  summary: Summary,
  abort: AbortSignal,
): Promise<readonly OwnTransfersOfAsset[]> {
  if (transfersOf && isOf(transfersOf, query, stated)) return transfersOf.transfers;
  const separate = carries(query, stated)
    ? await post<Summary>(PATHS.summary, countedOnly(requestBody(query, stated), stated), abort)
    : summary;
  transfersOf = { query, zone: zoneIn(stated), transfers: separate.own_transfers };
  return separate.own_transfers;
}

/** Returns the decision about a receipt. If there is none, returns the wallet's bulk decision. */
export const decisionAbout = (receipt: FlaggedReceiptRecord, { decisions } = statements.value) =>
  [receipt.record_id, `*:${receipt.sender}`, `*:${receipt.reason}`, '*']
    .map((key) => decisions[receipt.address]?.[key])
    .find((decision) => decision !== undefined);

export const undecided = ({ receipts, stated }: Report): readonly FlaggedReceiptRecord[] =>
  receipts.filter((receipt) => decisionAbout(receipt, stated) === undefined);

/** Returns the ids of flagged receipts whose coins count as worthless, by the user's decision or because it is open. */
export const leftOut = ({ receipts, stated }: Report): ReadonlySet<string> => {
  const counts = (receipt: FlaggedReceiptRecord) =>
    ['keep', 'return', 'override'].includes(decisionOf(rowOf(receipt), stated)?.mode ?? '');
  return new Set(receipts.filter((one) => !counts(one)).map(({ record_id }) => record_id));
};

export const rowOf = ({ address, record_id: id }: FlaggedReceiptRecord): StatedRow => ({ address, id });
