/**
 * The interface of classifiers. A scope is one message of a transaction, one of its fee phases, or one phase of a
 * block. A classifier reads a scope's events and writes rows for its payments. The sums of these rows equal the coins
 * that were paid. Rows describe what happened, not its tax treatment. Payments without a classifier become
 * `unclassified` rows. So the sum of all rows always equals coin_received − coin_spent.
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
  get(key: string): string | undefined;
  /**
   * Returns an attribute with an address, in lower case. Staking events copy addresses from the message, which may be
   * in capitals.
   */
  address(key: string): string | undefined;
}

/**
 * An event of x/bank. For minted coins there is also a coin_received event, and for burned coins a coin_spent event.
 */
export interface BankEvent {
  readonly index: number;
  readonly type: 'coin_spent' | 'coin_received' | 'coinbase' | 'burn';
  readonly address: string;
  readonly coins: readonly Coin[];
}

/** One coin of a transfer. `from` is null for minted coins, `to` is null for burned coins. */
export interface Payment extends Coin {
  /** Index of the coin_received event, or of the coin_spent event if nobody received the coin. */
  readonly index: number;
  readonly from: string | null;
  readonly to: string | null;
}

export interface RowDraft {
  readonly address: string;
  readonly category: string;
  /** Index of the event that determines the row's id and order. */
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
  /** True for rows without a message: rows of block phases, and of a transaction's fee phases. */
  readonly byChain?: boolean;
}

export interface KnownContract {
  readonly name: string;
  readonly paidIn: string;
  readonly paidOut: string;
  /**
   * True if the contract only forwards coins. Its IBC transfers are then assigned to the wallet that sent coins to the
   * contract.
   */
  readonly isRouter: boolean;
}

export interface ChainFacts {
  isWallet(address: string | null): address is string;
  module(name: string): string;
  readonly moduleAccounts: ReadonlySet<string>;
  readonly feeCollectors: readonly string[];
  escrow(port: string, channel: string): string;
  shareRecordAccount(record: string): string;
  readonly accountPrefix: string;
  isShareDenom(denom: string): boolean;
  accountOf(operator: string): string;
  operatorOf(account: string): string;
  /** Compares addresses in the order of the chain's stores: by length, then by bytes. */
  compareAddresses(one: string, other: string): number;
  /** False for an address of a chain whose keys are of another type than this chain's. */
  isSameKey(one: string, other: string): boolean;
  /**
   * Returns who finally gets the coins of a sent ICS-20 packet, by its memo (memo-actions.ts); null if the memo has an
   * action that is not known.
   */
  lastReceiver(packet: { readonly sender: string; readonly receiver: string; readonly memo: string }): string | null;
  /** Returns the chain from which the denom was moved to this chain; undefined for other denoms. */
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

/** How a message was executed on behalf of another account. If several values apply, the outermost one is used. */
export type Via = 'authz' | 'contract' | 'interchain_account';

/** Reward trigger of a payout whose cause is unknown, for example in an upgrade. */
export const OTHER_TRIGGER = 'other';

/**
 * Types of events that follow a slash. For consumer chains there is no `slash` event (interchain-security
 * x/ccv/provider).
 */
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
  /** `<height>-<transaction index>` or `<height>-block`. Links of rows begin with it. */
  readonly place: string;
  /** False if the transaction failed. A failed transaction has only the events of its ante handler. */
  readonly succeeded: boolean;
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  readonly contracts: ReadonlySet<string>;
  /** Reward trigger of the scope's message; `slash` if the scope contains a slash. */
  readonly cause: string | undefined;
  /** All events except bank events and events that no classifier needs. */
  readonly events: readonly ScopedEvent[];
  readonly payments: readonly Payment[];
  /** Parses the coins in an attribute. Leaves out amounts of zero and amounts that are too large for a column. */
  coins(event: ScopedEvent, key: string): readonly Coin[];
  eventsOf(type: string): readonly ScopedEvent[];
  eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined;
  unexplained(between?: { readonly after?: number; readonly before?: number }): readonly Payment[];
  /**
   * Returns the last payment before this event that has no row yet and that `fits` accepts. The search ends at the
   * previous event of the same type, or at index `after`.
   */
  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after?: number): Payment | undefined;
  /**
   * Returns the payments of the last send before this event that has exactly these coins and no rows yet; [] if there
   * is none. Modules emit their events right after the payment.
   */
  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[];
  /**
   * Adds the rows that explain these payments, but no rows of module accounts. `payments` is empty for undelegations
   * and redelegations.
   * @throws Error if a payment already has rows
   */
  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void;
}

export interface EventClassifier {
  readonly eventType: string;
  readonly categories: readonly string[];
  classify(event: ScopedEvent, scope: Scope): void;
}

/**
 * Classifies the payments of a message that the event classifiers have not classified. Runs after the event
 * classifiers.
 */
export interface MessageClassifier {
  readonly typeUrl: string;
  readonly categories: readonly string[];
  readonly trigger?: string;
  readonly classify?: (scope: Scope) => void;
}

/** Declares a message type whose payments are all classified by their events. */
export const explainedByEvents = (typeUrl: string, trigger?: string): MessageClassifier => ({
  typeUrl,
  categories: [],
  ...(trigger && { trigger }),
});

/** Classifies payments in a phase that the event classifiers have not classified. Runs after the event classifiers. */
export interface PhaseClassifier {
  readonly phases: readonly Phase[];
  readonly categories: readonly string[];
  classify(scope: Scope): void;
}

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
 * Adds transfer rows for the remaining payments by wallets. Skips payments to modules that wallets cannot send coins
 * to.
 */
export function explainSends(scope: Scope): void {
  for (const payment of scope.unexplained()) {
    const rows = sendRows(payment, scope.chain);
    if (rows) scope.explain([payment], rows);
  }
}

/** Modules to which wallets may send coins (gaia BlockedModuleAccountAddrs). */
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
