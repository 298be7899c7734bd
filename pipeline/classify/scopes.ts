/**
 * Splits a transaction's events into ante handler, messages (also those inside MsgExec) and post handler, and a
 * block's events into its phases. Since SDK 0.50 `msg_index` links an event to its message; ante and post handler
 * events have none.
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

/** Attribute with the account, by event type. */
const BANK_ACCOUNTS: Readonly<Record<BankEvent['type'], string>> = {
  coin_spent: 'spender',
  coin_received: 'receiver',
  coinbase: 'minter',
  burn: 'burner',
};

const EXEC = '/cosmos.authz.v1beta1.MsgExec';

/** Events that no classifier needs: they only accrue or repeat. */
const SKIPPED = new Set(['transfer', 'message', 'tx', 'commission', 'liveness', 'mint', 'fee_pay', 'tip_pay']);

/** `rewards` accrue to each validator at BeginBlock; most events of a block are of this type. */
const SKIPPED_AT_BEGINNING = new Set([...SKIPPED, 'rewards']);

/** Event types of contract calls. A contract called by a packet emits only its own `wasm` events. */
const CONTRACT_CALLS = new Set(['execute', 'instantiate', 'migrate', 'sudo', 'reply', 'wasm']);
const isOfContract = (type: string) => CONTRACT_CALLS.has(type) || type.startsWith('wasm-');

/** Splits a transaction; parts are in the order of their first events. */
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
 * Splits a block's events into PreBlock, BeginBlock and EndBlock. Events before the first `mode` come from a fork or
 * upgrade handler (SDK baseapp.go preBlock). Later events without a mode belong to EndBlock.
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

/** Searches attributes only when asked. */
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
    // If a packet ran a contract, the interchain account is the outer mechanism. The opposite case emits no packet event.
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
   * Returns the part of the message at a path. If a step has no decoded message (MsgExec of a contract, undecodable
   * bytes), the events belong to the enclosing message.
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
 * Returns [msg_index, …authz_msg_index], outermost first; empty without msg_index. Each MsgExec appends its
 * authz_msg_index to inner events, so the last attribute is the outermost.
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
