/**
 * What a classifier is. Classification says what happened, never what it means for tax: a classifier looks at the typed
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

/** An event of a scope with its place in the transaction (or block). Attributes by name: the first of that key. */
export interface ScopedEvent {
  readonly index: number;
  readonly type: string;
  /** The first attribute of that key, or undefined. */
  get(key: string): string | undefined;
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

/** A row as a classifier says it; driver code gives it height, time, hash, position and id. */
export interface RowDraft {
  readonly address: string;
  readonly category: string;
  /** Index of the event that this row rests on: makes its id and its order. */
  readonly event: number;
  readonly sent?: Coin;
  readonly received?: Coin;
  readonly fee?: Coin;
  readonly counterparty?: string;
  readonly validator?: string;
  readonly rewardTrigger?: string;
  readonly detail?: string;
  readonly link?: string;
  readonly toOwnKey?: boolean;
}

export type Phase = 'BeginBlock' | 'ante' | 'message' | 'post' | 'EndBlock';

/** One message with the events that are its own, or one phase of a block or transaction without a message. */
export interface Scope {
  readonly phase: Phase;
  /** The message, for phase message. */
  readonly message?: Message;
  /** The outermost way in, which wins over the message's own trigger. */
  readonly via?: 'authz' | 'contract' | 'interchain_account';
  readonly events: readonly ScopedEvent[];
  /** The payments of this scope that nobody has explained yet. */
  unexplained(): readonly Payment[];
  /** Whether this account has rows: false for the chain's module accounts. */
  isWallet(address: string | null): address is string;
  /** Address of a module account by its name. */
  module(name: string): string;
  /**
   * States that these rows explain these payments. A side of a payment that belongs to a wallet must appear in exactly
   * the rows given; a payment can be explained once. Rows without payments (undelegate, redelegate) pass [].
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
  readonly categories: readonly string[];
  /** What a reward paid inside this message was triggered by. */
  readonly triggers: readonly string[];
  classify(message: Message, scope: Scope): void;
}
