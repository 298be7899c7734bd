/**
 * The contract of classifiers. A classifier maps the events and payments of one scope to rows. It describes what
 * happened, not its tax treatment. Payments that no classifier explains become `unclassified` rows, so Σ rows =
 * coin_received − coin_spent always holds.
 */
import type { Message } from '../chain/block.js';

export interface Coin {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
}

export interface ScopedEvent {
  readonly index: number;
  readonly type: string;
  /** Returns the first value of a key. */
  get(key: string): string | undefined;
  /** Like get, in lower case. Staking events repeat the message's spelling, which may be in capitals. */
  address(key: string): string | undefined;
}

/** Minted coins also have a coin_received event, burned coins a coin_spent event. */
export interface BankEvent {
  readonly index: number;
  readonly type: 'coin_spent' | 'coin_received' | 'coinbase' | 'burn';
  readonly address: string;
  readonly coins: readonly Coin[];
}

/** One coin of a transfer. `from` is null for minted coins, `to` for burned ones. */
export interface Payment extends Coin {
  /** Index of coin_received, or of coin_spent if nothing was received. */
  readonly index: number;
  readonly from: string | null;
  readonly to: string | null;
}

export interface RowDraft {
  readonly address: string;
  readonly category: string;
  /** Determines the row's id and order. */
  readonly event: number;
  readonly sent?: Coin;
  readonly received?: Coin;
  readonly fee?: Coin;
  readonly counterparty?: string | null;
  readonly validator?: string | null;
  readonly rewardTrigger?: string | null;
  readonly detail?: string;
  readonly link?: string | null;
  readonly toOwnKey?: boolean;
  /** True in block phases, ante and post handlers. */
  readonly byChain?: boolean;
}

export interface KnownContract {
  readonly name: string;
  readonly paidIn: string;
  readonly paidOut: string;
  /** True if it only forwards coins; its IBC transfers belong to the paying wallet. */
  readonly isRouter: boolean;
}

export interface ChainFacts {
  /** True if the account gets rows: neither null, nor an account of the chain or a share record. */
  isWallet(address: string | null): address is string;
  /** @throws Error if the chain's file does not list the name */
  module(name: string): string;
  readonly ownAccounts: ReadonlySet<string>;
  readonly feeCollectors: readonly string[];
  escrow(port: string, channel: string): string;
  shareRecordAccount(record: string): string;
  readonly accountPrefix: string;
  isShareDenom(denom: string): boolean;
  accountOf(operator: string): string;
  operatorOf(account: string): string;
  /** Orders addresses like the chain's stores: by length, then by bytes. */
  compareAddresses(one: string, other: string): number;
  isSameKey(one: string, other: string): boolean;
  /** Returns the chain from which a minted denom moved here. */
  movedFrom(denom: string): string | undefined;
  contract(address: string): KnownContract | undefined;
  actOf(payment: Payment, height: number): ReviewedAct | undefined;
}

export interface ReviewedAct {
  readonly sentAs: string;
  readonly receivedAs: string;
  readonly escrow: string | undefined;
  readonly detail: string;
}

export type Phase = 'PreBlock' | 'BeginBlock' | 'ante' | 'message' | 'post' | 'EndBlock';

/** How a message ran for another account; the outermost one counts. */
export type Via = 'authz' | 'contract' | 'interchain_account';

/** Trigger of rewards with unknown cause, for example in an upgrade. */
export const OTHER_TRIGGER = 'other';

/** Events after a slash. Slashes for consumer chains emit no `slash` event (interchain-security x/ccv/provider). */
export const SLASHES: readonly string[] = [
  'slash',
  'execute_consumer_chain_slash',
  'submit_consumer_double_voting',
  'submit_consumer_misbehaviour',
];

export interface Scope {
  readonly chain: ChainFacts;
  readonly phase: Phase;
  readonly height: number;
  /** `<height>-<transaction index or block>`, for row links. */
  readonly place: string;
  /** A failed transaction keeps only its ante handler's events. */
  readonly succeeded: boolean;
  /** Set only in phase `message`. */
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  /** In the order of their first calls. */
  readonly contracts: ReadonlySet<string>;
  /** Trigger of rewards paid here: that of the message, or `slash`. */
  readonly cause: string | undefined;
  /** Excludes bank events, and events that only accrue or repeat. */
  readonly events: readonly ScopedEvent[];
  /** Includes payments between the chain's own accounts. */
  readonly payments: readonly Payment[];
  /** Excludes zeros and amounts too large to store. */
  coins(event: ScopedEvent, key: string): readonly Coin[];
  eventsOf(type: string): readonly ScopedEvent[];
  eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined;
  unexplained(between?: { readonly after?: number; readonly before?: number }): readonly Payment[];
  /**
   * Returns the last unexplained payment that fits, between the previous event of this type (or `after`) and this
   * event.
   */
  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after?: number): Payment | undefined;
  /**
   * Returns the last unexplained send of exactly these coins before an event, or []. Modules emit events right after
   * payments.
   */
  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[];
  /**
   * Records that these rows explain these payments. assertExplained checks that the sums are equal. Undelegations and
   * redelegations pass no payments. Rows of module accounts are dropped.
   * @throws Error if a payment is explained twice
   */
  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void;
}

export interface EventClassifier {
  readonly eventType: string;
  readonly categories: readonly string[];
  classify(event: ScopedEvent, scope: Scope): void;
}

/** Explains payments that no event identifies. Runs after the event classifiers. */
export interface MessageClassifier {
  readonly typeUrl: string;
  readonly categories: readonly string[];
  readonly trigger?: string;
  readonly classify?: (scope: Scope) => void;
}

/** Declares a message whose events explain everything. */
export const explainedByEvents = (typeUrl: string, trigger?: string): MessageClassifier => ({
  typeUrl,
  categories: [],
  ...(trigger && { trigger }),
});

/** Explains fees and payments in block phases. Runs after the event classifiers. */
export interface PhaseClassifier {
  readonly phases: readonly Phase[];
  readonly categories: readonly string[];
  classify(scope: Scope): void;
}

/** The classifiers of one file in modules/. */
export interface ModuleClassifiers {
  readonly events?: readonly EventClassifier[];
  readonly messages?: readonly MessageClassifier[];
  readonly phases?: readonly PhaseClassifier[];
}

export const NOT_REVIEWED = 'Moved by the chain itself; not reviewed';

type RowDetails = Omit<RowDraft, 'address' | 'category' | 'event' | 'sent' | 'received' | 'fee'>;

export function sentRow(payment: Payment, category: string, details: RowDetails = {}): RowDraft {
  return {
    address: payment.from!,
    category,
    event: payment.index,
    sent: payment,
    counterparty: payment.to,
    ...details,
  };
}

export function receivedRow(payment: Payment, category: string, details: RowDetails = {}): RowDraft {
  return {
    address: payment.to!,
    category,
    event: payment.index,
    received: payment,
    counterparty: payment.from,
    ...details,
  };
}

export const explainEach = (scope: Scope, payments: readonly Payment[], rowOf: (payment: Payment) => RowDraft): void =>
  scope.explain(payments, payments.map(rowOf));

export function selfTransferRow({ index, from, denom, amount }: Payment): RowDraft {
  const coin = { denom, amount };
  return { address: from!, category: 'self_transfer', event: index, sent: coin, received: coin };
}

export const transferCategory = (side: 'in' | 'out', denom: string, chain: ChainFacts): string =>
  chain.isShareDenom(denom) ? `share_transfer_${side}` : `transfer_${side}`;

/**
 * Explains the remaining payments of wallets as transfers. Payments between wallets and closed modules stay
 * unexplained.
 */
export function explainSends(scope: Scope): void {
  for (const payment of scope.unexplained()) {
    const rows = sendRows(payment, scope.chain);
    if (rows) scope.explain([payment], rows);
  }
}

/** Modules that accept sends (gaia BlockedModuleAccountAddrs). */
const OPEN_MODULES = ['gov', 'consumer_rewards_pool'];

function sendRows(payment: Payment, chain: ChainFacts): RowDraft[] | undefined {
  const { from, to, denom } = payment;
  if (!chain.isWallet(from)) return undefined;
  if (to === from) return [selfTransferRow(payment)];
  if (to === chain.module('distribution')) return [sentRow(payment, 'community_pool_deposit')];
  const sent = sentRow(payment, transferCategory('out', denom, chain));
  if (OPEN_MODULES.some((name) => to === chain.module(name))) return [sent];
  if (!chain.isWallet(to)) return undefined;
  return [sent, receivedRow(payment, transferCategory('in', denom, chain))];
}

export const contractLabel = (address: string, chain: ChainFacts): string =>
  chain.contract(address)?.name ?? `Contract ${address}`;

export const movedDetail = (from: string): string => `Moved here from ${from}`;

export const senderOf = ({ message }: Scope): string | undefined =>
  (message?.value as { readonly sender?: string } | undefined)?.sender?.toLowerCase();
