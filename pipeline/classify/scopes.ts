/**
 * Splits events into parts, one for each scope. A transaction has an ante handler, messages (also inside MsgExec) and a
 * post handler. A block has phases. Since SDK 0.50, the attribute `msg_index` links an event to its message. Events of
 * ante and post handlers have no `msg_index`.
 */
import { parseCoins } from '../base/values/amount.js';
import { type Block, type ChainEventRecord, type Message, modeOf, type Transaction } from '../chain/block.js';
import type { BankEvent, ChainFacts, Coin, Payment, Phase, ScopedEvent, Via } from './classifier.js';
import { attribute, type NetChanges, netChanges, oversizedDenoms, readPayments } from './payments.js';

/** A transaction, or the events of a block outside transactions. */
export interface Place {
  readonly height: number;
  readonly index: number;
  readonly name: string;
  readonly txHash: string;
  readonly memo: string;
  /** Signers, and accounts that have authorized a signer (authz). */
  readonly signers: ReadonlySet<string>;
  readonly succeeded: boolean;
  readonly parts: readonly Part[];
  /** The chain's facts. Share records found in this transaction or block are added as accounts that are not wallets. */
  readonly chain: ChainFacts;
  /** Denoms with amounts too large for a column, with the accounts that moved them. `bank` leaves out their coins. */
  readonly oversized: ReadonlyMap<string, string[]>;
  readonly nets: NetChanges;
}

export interface Part {
  readonly phase: Phase;
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  readonly contracts: ReadonlySet<string>;
  readonly events: readonly ScopedEvent[];
  readonly bank: readonly BankEvent[];
  readonly payments: readonly Payment[];
}

export function splitBlock({ height, events, transactions }: Block, chain: ChainFacts): [Place, ...Place[]] {
  const blockNames = { height, index: -1, name: `${height}-block`, txHash: `block:${height}`, memo: '' };
  const ofBlock = cutBlock(events);
  const spent: OpenPart[] = [];
  const places: [Place, ...Place[]] = [
    placeOf({ ...blockNames, signers: new Set(), succeeded: true }, ofBlock, chain),
    ...transactions.map((transaction) => {
      const { index, hash, memo, code } = transaction;
      const where = { height, index, name: `${height}-${index}`, txHash: hash, memo };
      const parts = cutTransaction(transaction);
      spent.push(...parts);
      return placeOf({ ...where, signers: signersOf(transaction), succeeded: code === 0 }, parts, chain);
    }),
  ];
  for (const end of ofBlock) if (end.phase === 'EndBlock') completeVirtualSends(end, spent, chain);
  return places;
}

/**
 * Adds the receiver of virtual sends (x/bank since SDK 0.54). The payers spend coins in their transactions, and at the
 * end of the block the collector receives the sum, without a payer. If the sums differ, the payments stay as they are.
 */
function completeVirtualSends(end: OpenPart, transactions: readonly OpenPart[], { feeCollectors }: ChainFacts): void {
  const isReceipt = (payment: Payment) =>
    payment.from === null && feeCollectors.includes(payment.to!) && nextBankEvent(end, payment)?.type !== 'coinbase';
  const receipts = end.payments.filter(isReceipt);
  for (const { denom, amount, to } of receipts) {
    const isSpend = (part: OpenPart) => (payment: Payment) =>
      payment.to === null && payment.denom === denom && nextBankEvent(part, payment)?.type !== 'burn';
    const spends = transactions.flatMap((part) => part.payments.filter(isSpend(part)));
    const isWhole = spends.reduce((sum, payment) => sum + payment.amount, 0n) === amount;
    if (!isWhole || receipts.filter((other) => other.denom === denom).length > 1) continue;
    for (const part of transactions)
      part.payments = part.payments.map((payment) => (spends.includes(payment) ? { ...payment, to } : payment));
  }
}

const nextBankEvent = ({ bank }: OpenPart, { index }: Payment) => bank.find((event) => event.index > index);

function placeOf(
  where: Omit<Place, 'parts' | 'chain' | 'oversized' | 'nets'>,
  parts: readonly OpenPart[],
  chain: ChainFacts,
): Place {
  const chainHere = withShareRecords(chain, parts);
  const oversized = oversizedDenoms(parts.flatMap(({ bank }) => bank));
  for (const part of parts) part.close(oversized);
  return { ...where, parts, chain: chainHere, oversized, nets: netChanges(parts.flatMap(({ bank }) => bank)) };
}

const BANK_ACCOUNTS: Readonly<Record<BankEvent['type'], string>> = {
  coin_spent: 'spender',
  coin_received: 'receiver',
  coinbase: 'minter',
  burn: 'burner',
};

const EXEC = '/cosmos.authz.v1beta1.MsgExec';

/** Types of events that no classifier needs, because they report accrued amounts or repeat other events. */
const SKIPPED = new Set(['transfer', 'message', 'tx', 'commission', 'liveness', 'mint', 'fee_pay', 'tip_pay']);

/** Event types to skip in BeginBlock. Includes accrued `rewards`, which are most events of a block. */
const SKIPPED_AT_BEGINNING = new Set([...SKIPPED, 'rewards']);

const CONTRACT_CALLS = new Set(['execute', 'instantiate', 'migrate', 'sudo', 'reply', 'wasm']);
const isOfContract = (type: string) => CONTRACT_CALLS.has(type) || type.startsWith('wasm-');

export function cutTransaction(transaction: Transaction): OpenPart[] {
  const parts = new PartList();
  let inMessages = false;
  transaction.events.forEach((record, index) => {
    const path = messagePath(record);
    if (path.length > 0) inMessages = true;
    if (SKIPPED.has(record.type)) return;
    if (path.length > 0) parts.message(path, transaction.messages).add(record, index);
    else parts.phase(inMessages ? 'post' : 'ante').add(record, index);
  });
  return parts.list;
}

/**
 * Splits a block's events into PreBlock, BeginBlock and EndBlock. Events before the first event with a `mode` come from
 * a fork or upgrade handler (SDK baseapp.go preBlock). Later events without a mode belong to EndBlock.
 */
export function cutBlock(events: readonly ChainEventRecord[]): OpenPart[] {
  const parts = new PartList();
  let hasBegun = false;
  events.forEach((record, index) => {
    const mode = modeOf(record);
    hasBegun ||= mode !== undefined;
    const phase = phaseOf(mode, hasBegun);
    if ((phase === 'EndBlock' ? SKIPPED : SKIPPED_AT_BEGINNING).has(record.type)) return;
    parts.phase(phase).add(record, index);
  });
  return parts.list;
}

function phaseOf(mode: string | undefined, hasBegun: boolean): Phase {
  if (mode === 'PreBlock' || !hasBegun) return 'PreBlock';
  return mode === 'BeginBlock' ? 'BeginBlock' : 'EndBlock';
}

class LazyEvent implements ScopedEvent {
  constructor(
    private readonly record: ChainEventRecord,
    readonly index: number,
  ) {}

  get type(): string {
    return this.record.type;
  }

  get(key: string): string | undefined {
    return attribute(this.record, key);
  }

  address(key: string): string | undefined {
    return this.get(key)?.toLowerCase();
  }
}

class OpenPart implements Part {
  readonly events: ScopedEvent[] = [];
  bank: BankEvent[] = [];
  payments: readonly Payment[] = [];
  readonly contracts = new Set<string>();
  private interchainAccount = false;

  constructor(
    readonly phase: Phase,
    readonly message: Message | undefined = undefined,
    private readonly authorised = false,
  ) {}

  get via(): Via | undefined {
    if (this.authorised) return 'authz';
    // Tested before contracts, because an interchain account may call a contract. If a contract uses an interchain
    // account, there is no ics27_packet event.
    if (this.interchainAccount) return 'interchain_account';
    return this.contracts.size > 0 ? 'contract' : undefined;
  }

  add(record: ChainEventRecord, index: number): void {
    const account = BANK_ACCOUNTS[record.type as BankEvent['type']];
    if (account) {
      this.bank.push({
        index,
        type: record.type as BankEvent['type'],
        address: attribute(record, account) ?? '',
        coins: parseCoins(attribute(record, 'amount') ?? ''),
      });
      return;
    }
    if (isOfContract(record.type)) this.contracts.add(attribute(record, '_contract_address') ?? '');
    if (record.type === 'ics27_packet') this.interchainAccount = true;
    this.events.push(new LazyEvent(record, index));
  }

  close(oversized: Place['oversized']): void {
    if (oversized.size > 0) {
      const isStored = ({ denom }: Coin) => !oversized.has(denom);
      this.bank = this.bank.map((event) => ({ ...event, coins: event.coins.filter(isStored) }));
    }
    this.payments = readPayments(this.bank);
  }
}

class PartList {
  readonly list: OpenPart[] = [];
  private readonly byKey = new Map<string | Message, OpenPart>();

  phase(phase: Phase): OpenPart {
    return this.get(phase, () => new OpenPart(phase));
  }

  /**
   * Returns the part for the message at this path. Events of an undecoded message belong to the message that contains
   * it.
   */
  message(path: readonly number[], messages: readonly Message[]): OpenPart {
    const [outer, ...inner] = path as [number, ...number[]];
    let message = messages[outer];
    if (!message) throw new Error(`an event names message ${outer} of a transaction with ${messages.length}`);
    let authorised = false;
    for (const step of inner) {
      const next: Message | undefined = message.inner[step];
      authorised ||= next !== undefined || message.typeUrl === EXEC;
      if (!next) break;
      message = next;
    }
    const found = message;
    return this.get(found, () => new OpenPart('message', found, authorised));
  }

  private get(key: string | Message, make: () => OpenPart): OpenPart {
    const known = this.byKey.get(key);
    if (known) return known;
    const part = make();
    this.byKey.set(key, part);
    this.list.push(part);
    return part;
  }
}

/**
 * Returns [msg_index, …authz_msg_index], outermost first; [] without msg_index. Each MsgExec appends its
 * authz_msg_index to the events inside it. So the last attribute belongs to the outermost MsgExec.
 */
function messagePath({ attributes }: ChainEventRecord): number[] {
  const path: number[] = [];
  let outer: number | undefined;
  for (let i = attributes.length - 1; i >= 0; i--) {
    const { key, value } = attributes[i]!;
    if (key === 'msg_index') outer ??= Number(value);
    else if (key === 'authz_msg_index') path.push(Number(value));
  }
  return outer === undefined ? [] : [outer, ...path];
}

/**
 * Share records (x/liquid) are accounts that hold the delegations behind share tokens. They are not wallets. There may
 * be any number of share records, so they are found by the events of each transaction.
 */

/** Returns the id of a share record. Share tokens have the denom `<operator address>/<id>`. */
const RECORDS: Readonly<Record<string, (event: ScopedEvent) => string | undefined>> = {
  tokenize_shares: (event) => event.get('share_record_id'),
  redeem_shares: (event) => event.get('amount')?.split('/')[1],
  transfer_tokenize_share_record: (event) => event.get('share_record_id'),
};

/**
 * Returns the share records that paid rewards to their owner. The event contains only owner and total. Before the
 * event, each record receives its reward and sends it to the owner. Sends beyond the total are ignored, because
 * contracts may have made them.
 */
function withdrawers({ events, bank }: Part): string[] {
  const accounts: string[] = [];
  for (const event of events) {
    if (event.type !== 'withdraw_tokenize_share_reward') continue;
    const left = new Map(parseCoins(event.get('amount') ?? '').map(({ denom, amount }) => [denom, amount]));
    for (let next = bank.findLastIndex(({ index }) => index < event.index) + 1; left.size > 0; ) {
      const [reward, spent, received] = [bank[next - 3], bank[next - 2], bank[next - 1]];
      const isSentOn = spent?.type === 'coin_spent' && received?.address === event.address('withdraw_address');
      if (!isSentOn || !subtractAll(left, spent.coins)) break;
      accounts.push(spent.address);
      next -= reward?.type === 'coin_received' && reward.address === spent.address ? 4 : 2;
    }
  }
  return accounts;
}

function subtractAll(left: Map<string, bigint>, coins: readonly Coin[]): boolean {
  if (coins.some(({ denom, amount }) => amount > (left.get(denom) ?? 0n))) return false;
  for (const { denom, amount } of coins) {
    const rest = left.get(denom)! - amount;
    if (rest === 0n) left.delete(denom);
    else left.set(denom, rest);
  }
  return true;
}

function recordAccounts(parts: readonly Part[], chain: ChainFacts): Set<string> {
  const accounts = new Set<string>();
  for (const part of parts) {
    for (const event of part.events) {
      const record = RECORDS[event.type]?.(event);
      if (record !== undefined) accounts.add(chain.shareRecordAccount(record));
    }
    for (const account of withdrawers(part)) accounts.add(account);
  }
  return accounts;
}

function withShareRecords(chain: ChainFacts, parts: readonly Part[]): ChainFacts {
  const accounts = recordAccounts(parts, chain);
  if (accounts.size === 0) return chain;
  return {
    ...chain,
    isWallet: (address): address is string => chain.isWallet(address) && !accounts.has(address),
  };
}

const ACTORS = ['sender', 'fromAddress', 'delegatorAddress', 'signer'] as const;

/**
 * Returns the addresses of signers and granters in lower case. The ante handler emits `acc_seq` = `address/sequence`
 * for each signer (SDK x/auth). A message inside MsgExec acts on behalf of its granter.
 */
function signersOf({ events, messages }: Transaction): ReadonlySet<string> {
  const signers = signedBy(events);
  for (const { inner } of messages) addActors(inner, signers);
  return signers;
}

/** Returns the accounts whose signatures were checked, in lower case and in order. */
export function signedBy(events: Transaction['events']): Set<string> {
  const signers = new Set<string>();
  for (const { type, attributes } of events) {
    if (type !== 'tx') continue;
    for (const { key, value } of attributes) if (key === 'acc_seq') signers.add(value.split('/')[0]!.toLowerCase());
  }
  return signers;
}

/**
 * Since SDK 0.50 the chain ignores delegatorAddress in this message, so it may contain an address that did not sign.
 */
const CREATE_VALIDATOR = '/cosmos.staking.v1beta1.MsgCreateValidator';

function addActors(granted: readonly Message[], signers: Set<string>): void {
  for (const { typeUrl, value, inner } of granted) {
    if (typeof value === 'object' && value !== null && typeUrl !== CREATE_VALIDATOR) {
      const members = value as Readonly<Record<string, unknown>>;
      for (const name of ACTORS) {
        const address = members[name];
        if (typeof address === 'string') signers.add(address.toLowerCase());
      }
    }
    addActors(inner, signers);
  }
}
