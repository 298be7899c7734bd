/** The figures of the wallets and days asked for; they are asked for again whenever the owner states something. */
import { effect, signal } from '@preact/signals';
import type { AssetReview, FlaggedReceiptRecord, Summary } from '../../../schemas/types.generated.js';
import { get, isAbort, messageOf, post, Refusal } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { type Asked, asked } from './asked.js';
import { keepWithAccount } from './saved-statements.js';
import { hasStatements, ledgerBody, type StatedRow, type Statements, statements } from './statements.js';

export interface Report {
  readonly asked: Asked;
  readonly stated: Statements;
  readonly summary: Summary;
  /** Flagged receipts up to the last day: the lots of the period depend on all before it. */
  readonly receipts: readonly FlaggedReceiptRecord[];
}

export const report = signal<Report | undefined>(undefined);
/** The report before the last statement, to show what that changed. */
export const before = signal<Report | undefined>(undefined);
export const isLoading = signal(false);
export const failure = signal('');
/** Whether it is for what is stated that nothing is shown, such as a statement of an earlier visit that does not fit any more. */
export const isForStatements = signal(false);

let current: AbortController | undefined;
let receiptsOf: { readonly asked: Asked; readonly receipts: readonly FlaggedReceiptRecord[] } | undefined;

/** Follows what is asked and stated; the last question alone is answered. */
effect(() => {
  const [wanted, stated] = [asked.value, statements.value];
  current?.abort();
  current = undefined;
  if (!wanted) {
    report.value = undefined;
    failure.value = '';
    return;
  }
  current = new AbortController();
  void load(wanted, stated, current.signal);
});

/** Stops what is under way. */
export function cancel(): void {
  current?.abort();
  isLoading.value = false;
  failure.value = 'Stopped before your figures were ready.';
}

async function load(wanted: Asked, stated: Statements, abort: AbortSignal): Promise<void> {
  isLoading.value = true;
  isForStatements.value = false;
  if (stated !== report.peek()?.stated) failure.value = '';
  const known = report.peek();
  if (known && known.asked !== wanted) report.value = undefined;
  try {
    if (!(await keepWithAccount(wanted.addresses, stated))) return;
    const [receipts, summary] = await Promise.all([
      receiptsFor(wanted, abort),
      post<Summary>(PATHS.summary, ledgerBody(wanted, stated), abort),
    ]);
    before.value = known?.asked === wanted ? known : undefined;
    report.value = { asked: wanted, stated, summary, receipts };
    isLoading.value = false;
  } catch (error) {
    if (isAbort(error)) return;
    failure.value = messageOf(error);
    isLoading.value = false;
    if (!(error instanceof Refusal && error.problem?.errors)) return;
    // A statement that the API refuses is taken back: the figures stay those of the last one that it took.
    if (known?.asked === wanted) statements.value = known.stated;
    else isForStatements.value = hasStatements(stated);
  }
}

async function receiptsFor(wanted: Asked, abort: AbortSignal): Promise<readonly FlaggedReceiptRecord[]> {
  if (receiptsOf?.asked === wanted) return receiptsOf.receipts;
  const review = await get<AssetReview>(`${PATHS.review(wanted.addresses)}&end=${wanted.end}`, abort);
  receiptsOf = { asked: wanted, receipts: review.records };
  return review.records;
}

/** The decision about a receipt: its own, else one about many of its wallet. */
export const decisionAbout = (receipt: FlaggedReceiptRecord, { decisions } = statements.value) =>
  [receipt.record_id, `*:${receipt.sender}`, `*:${receipt.reason}`, '*']
    .map((key) => decisions[receipt.address]?.[key])
    .find((decision) => decision !== undefined);

/** The receipts that the owner has not decided about. */
export const undecided = ({ receipts, stated }: Report): readonly FlaggedReceiptRecord[] =>
  receipts.filter((receipt) => decisionAbout(receipt, stated) === undefined);

/** The row of a flagged receipt. */
export const rowOf = ({ address, record_id: id }: FlaggedReceiptRecord): StatedRow => ({ address, id });
