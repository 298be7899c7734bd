/**
 * The contract of classifiers. Classification says what happened, never what it means for tax: a classifier looks at the typed
 * events and bank payments of one scope (one message, or what the chain did at the beginning or end of a block) and says
 * which row explains which payment. What nobody explains becomes `unclassified` rows with the exact net amount, so
 * that Σ rows = coin_received − coin_spent holds whatever a classifier forgets.
 */
import type { Message } from '../chain/block.js';

export interface Coin {
  readonly denom: string;
  /** Base units, above zero. */
  readonly amount: bigint;
}

/** An event with its place among the events of its transaction (or block). */
export interface ScopedEvent {
  readonly index: number;
  readonly type: string;
  /** The first attribute of that key, or undefined. */
  get(key: string): string | undefined;
  /**
   * The same for an address, in lower case: the chain takes addresses in capitals, and staking events repeat the message's
   * spelling where the bank writes its own.
   */
  address(key: string): string | undefined;
}

/** One event of the bank module: coins that an account spent, received, minted (after receiving) or burned (after spending). */
export interface BankEvent {
  readonly index: number;
  readonly type: 'coin_spent' | 'coin_received' | 'coinbase' | 'burn';
  readonly address: string;
  readonly coins: readonly Coin[];
}

/**
 * One coin's way from one account to another, read from coin_spent and coin_received. `from` is null for minted coins,
 * `to` for burned ones. A multi-coin send makes one payment per coin.
 */
export interface Payment extends Coin {
  /** Index of the event that shows the arrival (coin_received); of coin_spent where nothing arrived. */
  readonly index: number;
  readonly from: string | null;
  readonly to: string | null;
}

/** A row as a classifier says it; the driver gives it height, time, hash, position and id. */
export interface RowDraft {
  readonly address: string;
  readonly category: string;
  /** Index of the event that this row rests on: makes its id and its order. */
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
  /** No message made it: what the chain does itself in a block, and around a transaction's messages. */
  readonly byChain?: boolean;
}

/** A contract of data/reference/contracts.json. */
export interface KnownContract {
  /** Protocol and name. */
  readonly name: string;
  /** Category of coins that a wallet puts in. */
  readonly paidIn: string;
  /** Category of coins that a wallet gets out. */
  readonly paidOut: string;
  /** It only passes coins on: a transfer between chains that it makes is that of the wallet whose coins they are. */
  readonly isRouter: boolean;
}

/** Addresses of one chain: made once from its file under data/reference/chains. */
export interface ChainFacts {
  /**
   * Tells whether this account has rows: false for the chain's own accounts, those of the share records at hand too, and for no account
   * at all.
   */
  isWallet(address: string | null): address is string;
  /** Address of a module account by its name. @throws Error for a name that the chain's file does not list */
  module(name: string): string;
  /** The chain's own accounts that its file knows: modules, escrows of transfers. */
  readonly ownAccounts: ReadonlySet<string>;
  /** Module accounts that a transaction's fee is paid to. */
  readonly feeCollectors: readonly string[];
  /** The escrow account of a port and a channel (or light client). */
  escrow(port: string, channel: string): string;
  /** The account of a share record by its id. */
  shareRecordAccount(record: string): string;
  /** Bech32 prefix of accounts. */
  readonly accountPrefix: string;
  /** Tells whether the denom is a token of tokenized delegation shares: `<operator address>/<record id>`. */
  isShareDenom(denom: string): boolean;
  /** An operator's own account: the same bytes with the account prefix. */
  accountOf(operator: string): string;
  /** The operator address of an account: the same bytes with the operator prefix. */
  operatorOf(account: string): string;
  /** Orders addresses as the chain's stores do: the shorter first, then by their bytes. */
  compareAddresses(one: string, other: string): number;
  /** Tells whether two addresses, of whatever chains, are the same bytes: one key. */
  isSameKey(one: string, other: string): boolean;
  /** The chain from which coins of a minted denom moved here; undefined for a denom that stands for no such coins. */
  movedFrom(denom: string): string | undefined;
  /** Looks a contract up in the reviewed list. */
  contract(address: string): KnownContract | undefined;
  /** Looks up the reviewed act of the chain's program that made a payment of a block. */
  actOf(payment: Payment, height: number): ReviewedAct | undefined;
}

/** A payment that the chain's own program made, as people reviewed it. */
export interface ReviewedAct {
  readonly sentAs: string;
  readonly receivedAs: string;
  /** Account with which the receiver's coins were in escrow; undefined for the other side. */
  readonly escrow: string | undefined;
  /** Reason and source in words. */
  readonly detail: string;
}

export type Phase = 'PreBlock' | 'BeginBlock' | 'ante' | 'message' | 'post' | 'EndBlock';

/** The mechanism by which someone let another act: the outermost one wins over the message's own reward trigger. */
export type Via = 'authz' | 'contract' | 'interchain_account';

/** Trigger of a reward that an act of no known kind paid out, as a newer program of the chain may. */
export const OTHER_TRIGGER = 'other';

/** Events that end a slash; for a fault on a consumer chain there is no other (interchain-security x/ccv/provider). */
export const SLASHES: readonly string[] = [
  'slash',
  'execute_consumer_chain_slash',
  'submit_consumer_double_voting',
  'submit_consumer_misbehaviour',
];

/** One message with the events that are its own, or one phase of a block or transaction without a message. */
export interface Scope {
  readonly chain: ChainFacts;
  readonly phase: Phase;
  readonly height: number;
  /** `<height>-<transaction index or block>`: what makes links of rows unique. */
  readonly place: string;
  /** False in what is left of a failed transaction: its ante handler. */
  readonly succeeded: boolean;
  /** The message, for phase message. */
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  /** Contracts that ran here, in the order of their first calls. */
  readonly contracts: ReadonlySet<string>;
  /** Cause of rewards that are paid here: the message's own trigger, or slash; undefined where neither is known. */
  readonly cause: string | undefined;
  /** Events of the scope, without the bank's and those that only accrue or repeat. */
  readonly events: readonly ScopedEvent[];
  /** All payments of the scope, also those between the chain's own accounts, in the order of their events. */
  readonly payments: readonly Payment[];
  /** Coins of an event's attribute, in its order; zeros and coins too large to be stored are left out. */
  coins(event: ScopedEvent, key: string): readonly Coin[];
  /** The events of one type, in their order. */
  eventsOf(type: string): readonly ScopedEvent[];
  /** The nearest event of one of these types before an index. */
  eventBefore(index: number, ...types: readonly string[]): ScopedEvent | undefined;
  /** The payments of this scope that nobody has explained yet, in the order of their events; those between two indices, where given. */
  unexplained(between?: { readonly after?: number; readonly before?: number }): readonly Payment[];
  /**
   * The nearest unexplained payment before an event that fits, and is not older than the last event of its type; with `after`, one that
   * comes after this index.
   */
  paymentBefore(event: ScopedEvent, fits: (payment: Payment) => boolean, after?: number): Payment | undefined;
  /**
   * The payments of the nearest unexplained send before an event that moved exactly these coins: modules announce what
   * they paid right after paying it. Empty when there is none.
   */
  sendBefore(event: ScopedEvent, coins: readonly Coin[], fits: (payment: Payment) => boolean): readonly Payment[];
  /**
   * States that these rows explain these payments. A side of a payment that belongs to a wallet must appear in exactly
   * the rows given: what all scopes of a transaction say is held against its bank events. Rows without payments (undelegate,
   * redelegate) pass []. Rows of module accounts are dropped.
   * @throws Error when a payment is explained twice
   */
  explain(payments: readonly Payment[], rows: readonly RowDraft[]): void;
}

/** Explains one type of event wherever it occurs: in a message, inside authz or a contract, or in a block's own events. */
export interface EventClassifier {
  readonly eventType: string;
  readonly categories: readonly string[];
  classify(event: ScopedEvent, scope: Scope): void;
}

/** Explains what a message's events alone do not tell. Runs after the event classifiers of its scope. */
export interface MessageClassifier {
  readonly typeUrl: string;
  /** Categories that its own classify gives; rows that rest on events are listed by the event's classifier. */
  readonly categories: readonly string[];
  /** Trigger of a reward that is paid inside this message. */
  readonly trigger?: string;
  readonly classify?: (scope: Scope) => void;
}

/** A message whose effects events alone tell. @param trigger of a reward that is paid inside it */
export const toldByEvents = (typeUrl: string, trigger?: string): MessageClassifier => ({
  typeUrl,
  categories: [],
  ...(trigger && { trigger }),
});

/** Explains what belongs to no message: fees, and what the chain does itself in a block. Runs after the event classifiers. */
export interface PhaseClassifier {
  readonly phases: readonly Phase[];
  readonly categories: readonly string[];
  classify(scope: Scope): void;
}

type RowDetails = Omit<RowDraft, 'address' | 'category' | 'event' | 'sent' | 'received' | 'fee'>;

/** The payer's row of a payment. The caller knows that there is a payer. */
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

/** The receiver's row of a payment. The caller knows that there is a receiver. */
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

/** States that each of these payments is a row of its own. */
export const explainEach = (scope: Scope, payments: readonly Payment[], rowOf: (payment: Payment) => RowDraft): void =>
  scope.explain(payments, payments.map(rowOf));

/** The payments of each payer and denom, in the order of the first; those without a payer are left out. */
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

/** The one row of coins that an account sent itself. */
export function selfTransferRow({ index, from, denom, amount }: Payment): RowDraft {
  const coin = { denom, amount };
  return { address: from!, category: 'self_transfer', event: index, sent: coin, received: coin };
}

/** The category of coins that come or go and of which no more is known. */
export const transferCategory = (side: 'in' | 'out', denom: string, chain: ChainFacts): string =>
  chain.isShareDenom(denom) ? `share_transfer_${side}` : `transfer_${side}`;

/**
 * Explains what is left as bank messages that somebody else had wallets send, of which nothing but the payment is known: to a wallet, its
 * own sender too, to the community pool, or to a module that takes coins from anybody. Other coins of or for a module are no bank message.
 */
export function explainSends(scope: Scope): void {
  for (const payment of scope.unexplained()) {
    const rows = sendRows(payment, scope.chain);
    if (rows) scope.explain([payment], rows);
  }
}

/** Modules that the bank lets anybody send coins to: all others are blocked (gaia BlockedModuleAccountAddrs). */
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

/** A contract for people: its protocol and name where they are known. */
export const contractLabel = (address: string, chain: ChainFacts): string =>
  chain.contract(address)?.name ?? `Contract ${address}`;

/** A receipt of coins that moved here, for people. @param from name of the chain that they were on */
export const movedDetail = (from: string): string => `Moved here from ${from}`;

/** The sender of the message, of the types that call it so. */
export const senderOf = ({ message }: Scope): string | undefined =>
  (message?.value as { readonly sender?: string } | undefined)?.sender?.toLowerCase();
