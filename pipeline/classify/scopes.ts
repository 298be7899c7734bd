/**
 * Cuts the events of a transaction into what ran before its messages, each message (those inside MsgExec on their own) and what
 * ran after them, and the events of a block into its beginning and its end. Since SDK 0.50 an event says by `msg_index` which
 * message it belongs to; ante and post handler say nothing.
 */
import { type ChainEventRecord, type Message, modeOf, type Transaction } from '../chain/block.js';
import { parseCoins } from '../ledger/amount.js';
import type { BankEvent, Phase, ScopedEvent, Via } from './classifier.js';

export interface Part {
  readonly phase: Phase;
  readonly message: Message | undefined;
  readonly via: Via | undefined;
  readonly contracts: ReadonlySet<string>;
  readonly events: readonly ScopedEvent[];
  readonly bank: readonly BankEvent[];
}

/** Attribute of a bank event that names the account, by the event's type. */
const BANK_ACCOUNTS: Readonly<Record<BankEvent['type'], string>> = {
  coin_spent: 'spender',
  coin_received: 'receiver',
  coinbase: 'minter',
  burn: 'burner',
};

const EXEC = '/cosmos.authz.v1beta1.MsgExec';

/** Events that no classifier reads: they accrue, or repeat what another event says. */
const SKIPPED = new Set(['transfer', 'message', 'tx', 'commission', 'liveness', 'mint', 'fee_pay', 'tip_pay']);

/** By far the most events of a block: with those skipped everywhere, what accrues to each validator at its beginning. */
const SKIPPED_AT_BEGINNING = new Set([...SKIPPED, 'rewards']);

/** Events that only a running contract makes. Called by a packet it makes none of the first, but its own all the same. */
const CONTRACT_CALLS = new Set(['execute', 'instantiate', 'migrate', 'sudo', 'reply', 'wasm']);
const isOfContract = (type: string) => CONTRACT_CALLS.has(type) || type.startsWith('wasm-');

/** The parts of a transaction in the order of their first events. */
export function cutTransaction(transaction: Transaction): Part[] {
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
 * Cuts a block's own events into what ran before the block, its beginning and its end. Events before the first one with a `mode` are
 * those of a fork or of an upgrade's handler, which run before everything else (SDK baseapp.go preBlock). Later events without a mode
 * count to the end.
 */
export function cutBlock(events: readonly ChainEventRecord[]): Part[] {
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

/** An event that parses what it is asked for, and no more. */
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

/** A part that events are still added to. */
class OpenPart implements Part {
  readonly events: ScopedEvent[] = [];
  readonly bank: BankEvent[] = [];
  readonly contracts = new Set<string>();
  private interchainAccount = false;

  constructor(
    readonly phase: Phase,
    readonly message: Message | undefined = undefined,
    private readonly authorised = false,
  ) {}

  get via(): Via | undefined {
    if (this.authorised) return 'authz';
    // A packet's interchain account is the outer one of a contract that it calls; the other way round leaves no packet event.
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
}

class PartList {
  readonly list: OpenPart[] = [];
  private readonly byKey = new Map<string | Message, OpenPart>();

  phase(phase: Phase): OpenPart {
    return this.get(phase, () => new OpenPart(phase));
  }

  /**
   * The part of the message at that path. A step that leads to no message (a contract's own MsgExec, or one whose bytes are not
   * of its type) belongs to the message it was reached from.
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
 * [msg_index, …authz_msg_index] from the outermost message to the innermost; empty without a msg_index. Each MsgExec appends its
 * own authz_msg_index to what its inner messages emitted, so the last one is the outermost.
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

function attribute({ attributes }: ChainEventRecord, key: string): string | undefined {
  for (const pair of attributes) if (pair.key === key) return pair.value;
  return undefined;
}
