/**
 * Labels of rows, in the words of Koinly: the first members of an event are the columns of its universal format, so that the CSV of
 * /events can be read there once its headings are renamed.
 */
import type { Category } from '../../schemas/types.generated.js';
import type { Kind } from './import/kind.js';

/** Koinly's label of each kind, for what arrives and for what leaves where they differ (support.koinly.io article 9489976). */
export const KOINLY_LABELS = {
  income: 'income',
  reward: 'reward',
  airdrop: 'airdrop',
  payment: ['income', 'cost'],
  purchase: '',
  sale: '',
  own_transfer: '',
  own_key: '',
  gift: 'gift',
  donation: 'donation',
  lost: 'lost',
  expense: 'cost',
  fee: 'cost',
  loan: 'loan',
  loan_repayment: 'loan',
  ignore: '',
  transfer: '',
  trade: '',
  exchange: 'swap',
} as const satisfies Readonly<Record<Exclude<Kind, 'excluded'>, string | readonly [received: string, sent: string]>>;

/** Labels of coins that go where they stay the wallet's own, and come back: neither is a disposal over there. */
const STAKE = 'stake';
const UNSTAKE = 'unstake';

/** Every label that a row may have. */
export const LABELS: readonly string[] = [...new Set([...Object.values(KOINLY_LABELS).flat(), STAKE, UNSTAKE])].sort();

/** The part of a row that its label follows from. */
interface Labelled {
  readonly category: Category;
  readonly userTag: string;
  readonly valueStatus: string;
  readonly event: { readonly sent_amount: bigint | null; readonly received_amount: bigint | null };
}

/** The label of a row; '' where Koinly has no word, so that its own rule for plain deposits, payments and trades holds. */
export function labelOf({ category, userTag, valueStatus, event }: Labelled): string {
  if (valueStatus === 'excluded') return '';
  const arrives = event.received_amount !== null;
  const isTold = userTag !== '';
  if (!isTold && staysOwn(category)) return arrives ? (event.sent_amount === null ? UNSTAKE : '') : STAKE;
  const label = KOINLY_LABELS[(isTold ? userTag : category.kind) as keyof typeof KOINLY_LABELS];
  return typeof label === 'string' ? label : label[arrives ? 0 : 1];
}

const staysOwn = ({ kind, in: incoming, out }: Category) =>
  kind === 'inside' || incoming?.act === 'withdraw' || out?.act === 'deposit';
