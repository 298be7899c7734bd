/**
 * The contract of classifiers. A classifier maps the events and bank payments of one scope to rows. A scope is one
 * message, or one phase of a block or transaction. Classification describes what happened, not its tax treatment.
 * Payments that no classifier explains become `unclassified` rows with the exact net amount. So Σ rows = coin_received
 * − coin_spent always holds.
 */
import type { Message } from '../chain/block.js';

export interface Coin {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
}

/** An event and its index in its transaction (or block). */
export interface ScopedEvent {
  readonly index: number;
  readonly type: string;
  /** Returns the first attribute with this key. */
  get(key: string): string | undefined;
  /**
   * Like get, in lower case. The chain accepts addresses in capitals, and staking events repeat the message's
   * spelling.
   */
  address(key: string): string | undefined;
}

/** An event of the bank module. Minted coins also have a coin_received event, burned coins a coin_spent event. */
export interface BankEvent {
  readonly index: number;
  readonly type: 'coin_spent' | 'coin_received' | 'coinbase' | 'burn';
  readonly address: string;
  readonly coins: readonly Coin[];
}

/**
 * A transfer of one coin, read from coin_spent and coin_received. `from` is null for minted coins, `to` for burned
 * ones. A send of several coins makes one payment per coin.
 */
export interface Payment extends Coin {
  /** Index of the coin_received event, or of coin_spent if nothing was received. */
  readonly index: number;
  readonly from: string | null;
  readonly to: string | null;
}

/** A row before the driver adds height, time, hash, position and id. */
export interface RowDraft {
  readonly address: string;
  readonly category: string;
  /** Index of the row's event; determines its id and order. */
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
  /** True if no message caused the row: block phases, and the ante and post handlers. */
  readonly byChain?: boolean;
}

/** An entry of data/reference/contracts.json. */
export interface KnownContract {
  readonly name: string;
  /** Category when a wallet pays the contract. */
  readonly paidIn: string;
  /** Category when the contract pays a wallet. */
  readonly paidOut: string;
  /** True if it only forwards coins: its IBC transfers then belong to the wallet that sent the coins. */
  readonly isRouter: boolean;
}

/** Facts about one chain, built once from the reviewed files. */
export interface ChainFacts {
  /** True if the account gets rows: not null, not an account of the chain itself, not a share record's account. */
  isWallet(address: string | null): address is string;
  /** @throws Error if the chain's file does not list the name */
  module(name: string): string;
  /** Module and transfer escrow accounts. */
  readonly ownAccounts: ReadonlySet<string>;
  /** Module accounts that receive fees. */
  readonly feeCollectors: readonly string[];
  /** Returns the escrow account of a port and channel (or light client). */
  escrow(port: string, channel: string): string;
  shareRecordAccount(record: string): string;
  readonly accountPrefix: string;
  /** True for a token of tokenized shares: `<operator address>/<record id>`. */
  isShareDenom(denom: string): boolean;
  /** Converts an operator address to its account: same bytes, account prefix. */
  accountOf(operator: string): string;
  /** Converts an account to its operator address. */
  operatorOf(account: string): string;
  /** Compares as the chain's stores do: shorter first, then by bytes. */
  compareAddresses(one: string, other: string): number;
  /** True if two addresses, on any chains, have the same bytes and thus the same key. */
  isSameKey(one: string, other: string): boolean;
  /** Returns the chain that a minted denom's coins moved from. */
  movedFrom(denom: string): string | undefined;
  contract(address: string): KnownContract | undefined;
  /** Returns the reviewed entry for a payment made by the chain's own program. */
  actOf(payment: Payment, height: number): ReviewedAct | undefined;
}

/** A reviewed payment made by the chain's own program. */
export interface ReviewedAct {
  readonly sentAs: string;
  readonly receivedAs: string;
  /** Escrow account that held the receiver's coins, if any. */
  readonly escrow: string | undefined;
  readonly detail: string;
}

export type Phase = 'PreBlock' | 'BeginBlock' | 'ante' | 'message' | 'post' | 'EndBlock';

/** How a message ran for another account. If several apply, the outermost wins. */
export type Via = 'authz' | 'contract' | 'interchain_account';

/** Trigger for rewards whose cause is unknown, for example after a chain upgrade. */
export const OTHER_TRIGGER = 'other';

/** Events that end a slash. Slashes for a consumer chain have no `slash` event (interchain-security x/ccv/provider). */
export const SLASHES: readonly string[] = [
  'slash',
  'execute_consumer_chain_slash',
  'submit_consumer_double_voting',
  'submit_consumer_misbehaviour',
];

/** A message with its events, or a phase of a block or transaction. */
export interface Scope {
  readonly chain: ChainFacts;
  readonly phase: Phase;
  readonly height: number;
  /** `<height>-<transaction index or block>`; makes row links unique. */
  readonly place: string;
  /** False for a failed transaction, which keeps only its ante handler's events. */
  readonly succeeded: boolean;
  /** Set only in phase `message`. */
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  /** Contracts that ran, in the order of their first calls. */
  readonly contracts: ReadonlySet<string>;
  /** Trigger of rewards paid here: the message's own trigger or `slash`. */
  readonly cause: string | undefined;
  /** Without bank events, and without events that only accrue or repeat. */
  readonly events: readonly ScopedEvent[];
  /** All payments, including payments between the chain's own accounts. */
  readonly payments: readonly Payment[];
  /** Parses an event's coins; drops zeros and amounts too large to store. */
  coins(event: ScopedEvent, key: string): readonly Coin[];
  eventsOf(type: string): readonly ScopedEvent[];
  /** Returns the last event of these types before an index. */
  eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined;
  /** Returns unexplained payments in order, optionally only between two indices. */
  unexplained(between?: { readonly after?: number; readonly before?: number }): readonly Payment[];
  /**
   * Returns the last matching unexplained payment before an event. It must come after the previous event of that type,
   * and after `after` if given.
   */
  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after?: number): Payment | undefined;
  /**
   * Returns the last unexplained send before an event that moved exactly these coins, or []. Modules emit the event
   * right after the payment.
   */
  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[];
  /**
   * Records that these rows explain these payments. Each wallet's side of a payment must appear in exactly these rows;
   * assertExplained checks the sums. Rows without payments (undelegate, redelegate) pass []. Rows of module accounts
   * are dropped.
   * @throws Error if a payment is explained twice
   */
  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void;
}

/** Explains one event type everywhere: in messages, authz, contracts and block phases. */
export interface EventClassifier {
  readonly eventType: string;
  readonly categories: readonly string[];
  classify(event: ScopedEvent, scope: Scope): void;
}

/** Explains payments of a message that its events do not identify. Runs after the event classifiers. */
export interface MessageClassifier {
  readonly typeUrl: string;
  /** Categories of `classify` itself, without those of event classifiers. */
  readonly categories: readonly string[];
  /** Trigger of rewards paid by this message. */
  readonly trigger?: string;
  readonly classify?: (scope: Scope) => void;
}

/**
 * Makes a classifier for a message whose events explain everything.
 * @param trigger of rewards paid by the message
 */
export const toldByEvents = (typeUrl: string, trigger?: string): MessageClassifier => ({
  typeUrl,
  categories: [],
  ...(trigger && { trigger }),
});

/** Explains payments outside messages: fees and block phases. Runs after the event classifiers. */
export interface PhaseClassifier {
  readonly phases: readonly Phase[];
  readonly categories: readonly string[];
  classify(scope: Scope): void;
}

/** The classifiers of one file under modules/, listed in modules/index.ts. */
export interface ModuleClassifiers {
  /** Classifiers of the same event type run in this order. */
  readonly events?: readonly EventClassifier[];
  readonly messages?: readonly MessageClassifier[];
  readonly phases?: readonly PhaseClassifier[];
}

/** Detail of rows for coins that the chain itself moved without a reviewed entry; a night counts them. */
export const NOT_REVIEWED = 'Moved by the chain itself; not reviewed';

type RowDetails = Omit<RowDraft, 'address' | 'category' | 'event' | 'sent' | 'received' | 'fee'>;

/** Makes the payer's row. `from` must not be null. */
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

/** Makes the receiver's row. `to` must not be null. */
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

/** Explains each payment by one row. */
export const explainEach = (scope: Scope, payments: readonly Payment[], rowOf: (payment: Payment) => RowDraft): void =>
  scope.explain(payments, payments.map(rowOf));

/** Groups payments by payer and denom; skips minted coins. */
export function byPayerAndDenom(payments: readonly Payment[]): Payment[][] {
  const groups = new Map<string, Payment[]>();
  for (const payment of payments) {
    if (payment.from === null) continue;
    const key = `${payment.from} ${payment.denom}`;
    const group = groups.get(key);
    if (group) group.push(payment);
    else groups.set(key, [payment]);
  }
  return [...groups.values()];
}

/** Makes the single row for coins sent to oneself. */
export function selfTransferRow({ index, from, denom, amount }: Payment): RowDraft {
  const coin = { denom, amount };
  return { address: from!, category: 'self_transfer', event: index, sent: coin, received: coin };
}

/** Returns the category of a transfer of which nothing else is known. */
export const transferCategory = (side: 'in' | 'out', denom: string, chain: ChainFacts): string =>
  chain.isShareDenom(denom) ? `share_transfer_${side}` : `transfer_${side}`;

/**
 * Explains remaining payments as plain transfers: to a wallet, to oneself, to the community pool, or to a module open
 * to everyone. Other payments from or to modules stay unexplained.
 */
export function explainSends(scope: Scope): void {
  for (const payment of scope.unexplained()) {
    const rows = sendRows(payment, scope.chain);
    if (rows) scope.explain([payment], rows);
  }
}

/** Modules that accept sends from anyone; the bank blocks all others (gaia BlockedModuleAccountAddrs). */
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

/** Returns a contract's display name. */
export const contractLabel = (address: string, chain: ChainFacts): string =>
  chain.contract(address)?.name ?? `Contract ${address}`;

/** Returns the detail text of coins that moved from another chain. */
export const movedDetail = (from: string): string => `Moved here from ${from}`;

/** Returns the message's `sender` in lower case. */
export const senderOf = ({ message }: Scope): string | undefined =>
  (message?.value as { readonly sender?: string } | undefined)?.sender?.toLowerCase();
