/** Koinly labels, so that the CSV of /events can be imported there after renaming its headers. */
import type { Category } from '../../schemas/types.generated.js';

/** The kinds of categories.json, further kinds of tags.json, and excluded receipts. */
export type Kind =
  | Exclude<Category['kind'], 'inside'>
  | 'payment'
  | 'purchase'
  | 'sale'
  | 'own_transfer'
  | 'gift'
  | 'donation'
  | 'loan'
  | 'loan_repayment'
  | 'ignore'
  | 'excluded';

/** Koinly's label by kind, or [received, sent] if they differ (support.koinly.io article 9489976). */
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

/** Koinly labels for staking and deposits. Koinly treats neither direction as a disposal. */
const STAKE = 'stake';
const UNSTAKE = 'unstake';

export const LABELS: readonly string[] = [...new Set([...Object.values(KOINLY_LABELS).flat(), STAKE, UNSTAKE])].sort();

interface Labelled {
  readonly category: Category;
  readonly userTag: string;
  readonly valueStatus: string;
  readonly event: { readonly sent_amount: bigint | null; readonly received_amount: bigint | null };
}

/** Returns '' if Koinly has no label; its default for deposits, payments and trades then applies. */
export function labelOf({ category, userTag, valueStatus, event }: Labelled): string {
  if (valueStatus === 'excluded') return '';
  const arrives = event.received_amount !== null;
  const isTagged = userTag !== '';
  if (!isTagged && staysOwn(category)) return arrives ? (event.sent_amount === null ? UNSTAKE : '') : STAKE;
  const label = KOINLY_LABELS[(isTagged ? userTag : category.kind) as keyof typeof KOINLY_LABELS];
  return typeof label === 'string' ? label : label[arrives ? 0 : 1];
}

const staysOwn = ({ kind, in: incoming, out }: Category) =>
  kind === 'inside' || incoming?.act === 'withdraw' || out?.act === 'deposit';
