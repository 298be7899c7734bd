/**
 * Classifies blocks. scopes.ts splits a block's events into scopes. classify-scope.ts turns the payments of each scope
 * into rows. assertExplained compares the rows with the bank events, and side-tables.ts fills the other tables.
 */
import type { ChainEvent, CoinMovement } from '../../schemas/types.generated.js';
import type { Block, Message } from '../chain/block.js';
import type { ChainFacts, RowDraft } from './classifier.js';
import { classifyScope } from './classify-scope.js';
import { knownTypes } from './modules/index.js';
import { type NetChanges, type Part, type Place, placesOf } from './scopes.js';
import { type SideTables, sideTables } from './side-tables.js';

export interface ClassifiedBlock extends SideTables {
  readonly events: readonly ChainEvent[];
  readonly movements: readonly CoinMovement[];
  /** Number of unclassified rows by source: type URL, block phase, or `fee`. */
  readonly unclassified: ReadonlyMap<string, number>;
  readonly unreviewedMoves: ReadonlyMap<string, number>;
  readonly unknownTypes: ReadonlyMap<string, number>;
  /** Number of messages by type URL that succeeded on chain but whose bytes could not be decoded. */
  readonly undecoded: ReadonlyMap<string, number>;
}

/** @throws Error if rows and bank events of a wallet differ (a classifier bug) */
export function classifyBlock(block: Block, chain: ChainFacts): ClassifiedBlock {
  const counts = { unclassified: new Map(), unreviewedMoves: new Map(), unknownTypes: new Map(), undecoded: new Map() };
  for (const { code, messages } of block.transactions) countMessages(messages, code === 0, counts);
  const places = placesOf(block, chain);
  const [own, ...others] = places;
  const rowsOf = new Map<number, readonly RowDraft[]>();
  for (const place of places) rowsOf.set(place.index, classifyPlace(place, counts));
  for (const { index, messages } of block.transactions) {
    rowsOf.set(index, describeLoneFees(rowsOf.get(index)!, messages));
  }
  const list = new EventList(block);
  const end = firstIndexOf(own.parts.find(({ phase }) => phase === 'EndBlock'));
  for (const row of rowsOf.get(own.index)!) if (row.event < end) list.add(row, own);
  for (const place of others) for (const row of rowsOf.get(place.index)!) list.add(row, place);
  for (const row of rowsOf.get(own.index)!) if (row.event >= end) list.add(row, own);
  return {
    events: list.events,
    movements: places.flatMap(movementsOf),
    ...counts,
    ...sideTables(block, places, rowsOf),
  };
}

type Counts = Readonly<Record<'unclassified' | 'unreviewedMoves' | 'unknownTypes' | 'undecoded', Map<string, number>>>;

function classifyPlace(place: Place, { unclassified, unreviewedMoves }: Counts): RowDraft[] {
  const scopes = place.parts.map((part) => classifyScope(part, place));
  for (const scope of scopes) {
    count(unclassified, scope.source, scope.unclassified);
    count(unreviewedMoves, String(place.height), scope.unreviewed);
  }
  const rows = scopes.flatMap((scope) => scope.rows);
  assertExplained(place.name, place.nets, rows, place.chain);
  return rows.sort((a, b) => a.event - b.event);
}

function countMessages(messages: readonly Message[], succeeded: boolean, counts: Counts): void {
  for (const { typeUrl, fault, inner } of messages) {
    count(counts.unknownTypes, typeUrl, knownTypes.has(typeUrl) ? 0 : 1);
    count(counts.undecoded, typeUrl, succeeded && fault !== undefined ? 1 : 0);
    countMessages(inner, succeeded, counts);
  }
}

function count(counts: Map<string, number>, key: string, more: number): void {
  if (more > 0) counts.set(key, (counts.get(key) ?? 0) + more);
}

const firstIndexOf = (part: Part | undefined) =>
  Math.min(part?.events[0]?.index ?? Infinity, part?.bank[0]?.index ?? Infinity);

function movementsOf({ height, index: place, txHash: tx_hash, nets }: Place): CoinMovement[] {
  return [...nets].flatMap(([address, denoms]) =>
    [...denoms].flatMap(([denom, amount]) =>
      amount === 0n ? [] : [{ address, denom, height, place, tx_hash, amount }],
    ),
  );
}

const FEES: ReadonlySet<string> = new Set(['fee', 'fee_failed']);

const TYPES_MAX = 3;

function typesOf(messages: readonly Message[]): string {
  const types = [...new Set(messages.map(({ typeUrl }) => typeUrl.replace(/^\//, '')))];
  const named = types.slice(0, TYPES_MAX).join(', ');
  return types.length > TYPES_MAX ? `${named} and ${types.length - TYPES_MAX} more` : named;
}

export function describeLoneFees(rows: readonly RowDraft[], messages: readonly Message[]): readonly RowDraft[] {
  const types = typesOf(messages);
  if (types === '' || !rows.some(({ category }) => FEES.has(category))) return rows;
  const others = new Set(rows.filter(({ category }) => !FEES.has(category)).map(({ address }) => address));
  return rows.map((row) => {
    if (!FEES.has(row.category) || others.has(row.address)) return row;
    return { ...row, detail: [row.detail, `For ${types}`].filter(Boolean).join('; ') };
  });
}

class EventList {
  readonly events: ChainEvent[] = [];
  private readonly items = new Map<string, number>();

  constructor(private readonly block: Pick<Block, 'height' | 'time'>) {}

  add(draft: RowDraft, { name, txHash, memo, signers }: Place): void {
    const { sent, received, fee } = draft;
    this.events.push({
      address: draft.address,
      height: this.block.height,
      position: this.events.length,
      id: this.nextId(draft, name),
      time: this.block.time.slice(0, 19).replace('T', ' '),
      tx_hash: txHash,
      category: draft.category,
      sent_amount: sent?.amount ?? null,
      sent_denom: sent?.denom ?? null,
      received_amount: received?.amount ?? null,
      received_denom: received?.denom ?? null,
      fee_amount: fee?.amount ?? null,
      fee_denom: fee?.denom ?? null,
      counterparty: draft.counterparty ?? null,
      validator: draft.validator ?? null,
      reward_trigger: draft.rewardTrigger ?? null,
      detail: draft.detail ?? '',
      memo,
      link: draft.link ?? null,
      to_own_key: draft.toOwnKey ?? false,
      unsolicited: received !== undefined && !draft.byChain && !signers.has(draft.address),
    });
  }

  /**
   * Returns an id like `21000000-3-17-0-in`: height, transaction, event, item, side. Items number the rows of one event
   * and side.
   */
  private nextId({ event, sent, received, fee }: RowDraft, place: string): string {
    const side = fee ? 'fee' : sent && received ? 'both' : sent ? 'out' : 'in';
    const key = `${place}-${event}-${side}`;
    const item = this.items.get(key) ?? 0;
    this.items.set(key, item + 1);
    return `${place}-${event}-${item}-${side}`;
  }
}

/** Categories whose lost coins were not part of a liquid balance. */
const NOT_LIQUID = new Set(['slash', 'gov_deposit_burned']);

/**
 * Sums the changes of liquid balances. In tokenize_shares and redeem_shares only the share token is liquid: the coin
 * leaves or enters the delegation.
 */
export function liquidChanges(rows: readonly RowDraft[]): NetChanges {
  const changes = new Map<string, Map<string, bigint>>();
  for (const { address, category, sent, received, fee } of rows) {
    if (NOT_LIQUID.has(category)) continue;
    const ofAddress = changes.get(address) ?? new Map<string, bigint>();
    changes.set(address, ofAddress);
    const add = (denom: string, amount: bigint) => ofAddress.set(denom, (ofAddress.get(denom) ?? 0n) + amount);
    if (sent && category !== 'tokenize_shares') add(sent.denom, -sent.amount);
    if (received && category !== 'redeem_shares') add(received.denom, received.amount);
    if (fee) add(fee.denom, -fee.amount);
  }
  return changes;
}

/** @throws Error with the first wallet and denom for which rows and bank events differ (a classifier bug) */
export function assertExplained(place: string, moved: NetChanges, rows: readonly RowDraft[], chain: ChainFacts): void {
  const said = liquidChanges(rows);
  const compare = (address: string, denom: string) => {
    const difference = (moved.get(address)?.get(denom) ?? 0n) - (said.get(address)?.get(denom) ?? 0n);
    if (difference !== 0n)
      throw new Error(`${place}: rows and bank events differ by ${difference} for ${address} ${denom}`);
  };
  for (const [address, denoms] of moved) {
    if (chain.isWallet(address)) for (const denom of denoms.keys()) compare(address, denom);
  }
  for (const [address, denoms] of said) for (const denom of denoms.keys()) compare(address, denom);
}
