/**
 * Classifies blocks. scopes.ts splits a block's events into scopes. In each scope the event classifiers run first, then
 * the classifiers of its message or phase. Payments that still have no row get `unclassified` rows. assertExplained
 * compares the rows with the bank events. side-tables.ts fills the other tables.
 */
import type { ChainEvent, CoinMovement } from '../../schemas/types.generated.js';
import type { Block, Message } from '../chain/block.js';
import { type ChainFacts, type Coin, NOT_REVIEWED, type Payment, type RowDraft, SLASHES } from './classifier.js';
import { classifierOfMessage, classifiersOfEvent, knownTypes, phaseClassifiers } from './modules/index.js';
import { OpenScope } from './open-scope.js';
import { assertExplained } from './payments.js';
import { creditRouted } from './routed.js';
import { type Part, type Place, splitBlock } from './scopes.js';
import { type SideTables, sideTables } from './side-tables.js';

export interface ClassifiedBlock extends SideTables {
  readonly events: readonly ChainEvent[];
  readonly movements: readonly CoinMovement[];
  /** Number of unclassified rows by source: a message's type URL, a block phase, or `fee`. */
  readonly unclassified: ReadonlyMap<string, number>;
  readonly unreviewedMoves: ReadonlyMap<string, number>;
  readonly unknownTypes: ReadonlyMap<string, number>;
  /** Number of messages, by type URL, that succeeded on chain but could not be decoded. */
  readonly undecoded: ReadonlyMap<string, number>;
}

/** @throws Error if rows and bank events of a wallet differ (a classifier bug) */
export function classifyBlock(block: Block, chain: ChainFacts): ClassifiedBlock {
  const counts = { unclassified: new Map(), unreviewedMoves: new Map(), unknownTypes: new Map(), undecoded: new Map() };
  for (const { code, messages } of block.transactions) countMessages(messages, code === 0, counts);
  const places = splitBlock(block, chain);
  const [placeOfBlock, ...others] = places;
  const rowsOf = new Map<number, readonly RowDraft[]>();
  for (const place of places) rowsOf.set(place.index, classifyPlace(place, counts));
  for (const { index, messages } of block.transactions) {
    rowsOf.set(index, describeLoneFees(rowsOf.get(index)!, messages));
  }
  const list = new EventList(block);
  const end = firstIndexOf(placeOfBlock.parts.find(({ phase }) => phase === 'EndBlock'));
  for (const row of rowsOf.get(placeOfBlock.index)!) if (row.event < end) list.add(row, placeOfBlock);
  for (const place of others) for (const row of rowsOf.get(place.index)!) list.add(row, place);
  for (const row of rowsOf.get(placeOfBlock.index)!) if (row.event >= end) list.add(row, placeOfBlock);
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

function describeLoneFees(rows: readonly RowDraft[], messages: readonly Message[]): readonly RowDraft[] {
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
   * Returns a row id such as `21000000-3-17-0-in`: height, transaction, event, item, side. Items number the rows with
   * the same event and side.
   */
  private nextId({ event, sent, received, fee }: RowDraft, place: string): string {
    const side = fee ? 'fee' : sent && received ? 'both' : sent ? 'out' : 'in';
    const key = `${place}-${event}-${side}`;
    const item = this.items.get(key) ?? 0;
    this.items.set(key, item + 1);
    return `${place}-${event}-${item}-${side}`;
  }
}

interface ClassifiedScope {
  readonly rows: readonly RowDraft[];
  readonly source: string;
  readonly unclassified: number;
  readonly unreviewed: number;
}

function classifyScope(part: Part, place: Place): ClassifiedScope {
  const { phase, message, via, contracts, events, payments } = part;
  const { chain, height, name, succeeded, oversized } = place;
  const ofMessage = message && classifierOfMessage.get(message.typeUrl);
  const cause = ofMessage?.trigger ?? (events.some(({ type }) => SLASHES.includes(type)) ? 'slash' : undefined);
  const facts = { chain, phase, height, place: name, succeeded, message, via, contracts, cause, events, payments };
  const scope = new OpenScope(facts, oversized);
  for (const event of events) {
    for (const classifier of classifiersOfEvent.get(event.type) ?? []) classifier.classify(event, scope);
  }
  ofMessage?.classify?.(scope);
  for (const classifier of phaseClassifiers) if (classifier.phases.includes(phase)) classifier.classify(scope);
  const source = message?.typeUrl ?? (phase === 'ante' || phase === 'post' ? 'fee' : phase);
  const rest = scope.unexplained();
  const unclassified = unclassifiedRows(rest, chain, `Not classified: ${source}`);
  scope.explain(rest, unclassified);
  const unreviewed = message ? 0 : scope.rows.filter(({ detail }) => detail === NOT_REVIEWED).length;
  const routed = creditRouted(scope.rows, chain);
  const rows = phase === 'message' ? routed : routed.map((row) => ({ ...row, byChain: true }));
  return { rows, source, unclassified: unclassified.length, unreviewed };
}

interface Net {
  readonly address: string;
  readonly denom: string;
  readonly first: Payment;
  readonly counterparties: Set<string | null>;
  amount: bigint;
}

/**
 * Makes one row for each wallet and denom, with the net amount. Leaves out net amounts of zero.
 * @param detail describes the source of the payments
 */
function unclassifiedRows(payments: readonly Payment[], chain: ChainFacts, detail: string): RowDraft[] {
  const nets = new Map<string, Net>();
  const add = (address: string | null, other: string | null, payment: Payment, amount: bigint) => {
    if (!chain.isWallet(address)) return;
    const key = `${address} ${payment.denom}`;
    let net = nets.get(key);
    if (!net) {
      net = { address, denom: payment.denom, first: payment, counterparties: new Set(), amount: 0n };
      nets.set(key, net);
    }
    net.amount += amount;
    net.counterparties.add(other);
  };
  for (const payment of payments) {
    add(payment.from, payment.to, payment, -payment.amount);
    add(payment.to, payment.from, payment, payment.amount);
  }
  return [...nets.values()].filter(({ amount }) => amount !== 0n).map((net) => rowOf(net, detail));
}

function rowOf({ address, denom, first, counterparties, amount }: Net, detail: string): RowDraft {
  const coin: Coin = { denom, amount: amount < 0n ? -amount : amount };
  return {
    address,
    category: 'unclassified',
    event: first.index,
    ...(amount < 0n ? { sent: coin } : { received: coin }),
    counterparty: counterparties.size === 1 ? [...counterparties][0]! : null,
    detail,
  };
}
