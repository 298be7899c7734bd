/**
 * Classifies blocks. In each scope the event classifiers run first, then the message or phase classifiers. Payments
 * left over become `unclassified` rows. assertExplained then compares the rows with the bank events.
 */
import type {
  ChainEvent,
  CoinMovement,
  DenomMetadata,
  IndexedTransaction,
  OversizedToken,
  ProposalEnd,
  ShareReward,
  SupplyChange,
  ValidatorName,
} from '../../schemas/types.generated.js';
import type { Block, Message } from '../chain/block.js';
import { EventList, type RowPlace } from './chain-event.js';
import { type BankEvent, type ChainFacts, type RowDraft, type ScopedEvent, SLASHES } from './classifier.js';
import { assertExplained, type NetChanges } from './explained.js';
import { describeLoneFees } from './lone-fees.js';
import { NOT_REVIEWED } from './modules/chain-acts.js';
import { classifierOfMessage, classifiersOfEvent, isKnownType, phaseClassifiers } from './modules/index.js';
import { OpenScope } from './open-scope.js';
import { netChanges, oversizedDenoms, readPayments } from './payments.js';
import { creditRouted } from './routed/credit-routed.js';
import { cutBlock, cutTransaction, type Part } from './scopes.js';
import { withShareRecords } from './share-records.js';
import { claimedIdentity, METADATA_EVENT } from './side-tables/denom-metadata.js';
import { indexedTransaction } from './side-tables/indexed-transaction.js';
import { proposalEnds } from './side-tables/proposal-ends.js';
import { REWARD_EVENT, shareRewards } from './side-tables/share-rewards.js';
import { SupplyChanges } from './side-tables/supply-changes.js';
import { validatorNames } from './side-tables/validator-names.js';
import { voucherTraces } from './side-tables/voucher-traces.js';
import { signersOf } from './signers.js';
import { unclassifiedRows } from './unclassified.js';

export interface ClassifiedBlock {
  readonly events: readonly ChainEvent[];
  readonly movements: readonly CoinMovement[];
  readonly transactions: readonly IndexedTransaction[];
  /** Row counts by type URL, phase, or `fee` (ante and post handlers). */
  readonly unclassified: ReadonlyMap<string, number>;
  /** Row counts by height: coins moved by the chain itself without a reviewed entry. */
  readonly unreviewedMoves: ReadonlyMap<string, number>;
  /** Message counts by unknown type URL. */
  readonly unknownTypes: ReadonlyMap<string, number>;
  /** Counts by type URL: successful messages whose bytes could not be decoded. */
  readonly undecoded: ReadonlyMap<string, number>;
  /** Tokens with amounts too large to store, left out of rows and movements. */
  readonly oversized: readonly OversizedToken[];
  /** Token names claimed by their admins. */
  readonly denomMetadata: readonly DenomMetadata[];
  /** Traces of IBC vouchers from packets, with duplicates. */
  readonly voucherTraces: readonly string[];
  readonly supplyChanges: readonly SupplyChange[];
  readonly proposalEnds: readonly ProposalEnd[];
  /** Rewards paid to share record accounts. */
  readonly shareRewards: readonly ShareReward[];
  readonly validatorNames: readonly ValidatorName[];
}

interface Place extends RowPlace {
  readonly height: number;
  /** Transaction index; -1 for the block's own events. */
  readonly index: number;
  readonly succeeded: boolean;
  readonly parts: readonly Part[];
}

/**
 * Classifies one block; a pure function.
 * @throws Error if a wallet's rows and bank events differ (a classifier bug)
 */
export function classifyBlock(block: Block, chain: ChainFacts): ClassifiedBlock {
  const classification = new Classification(chain, block);
  const list = new EventList(block);
  const addAll = (rows: readonly RowDraft[], place: Place) => {
    for (const row of rows) list.add(row, place);
  };

  const own = blockPlace(block);
  const ownRows = classification.rowsOf(own);
  const end = firstIndexOf(own.parts.find(({ phase }) => phase === 'EndBlock'));
  addAll(
    ownRows.filter(({ event }) => event < end),
    own,
  );
  const transactions: IndexedTransaction[] = [];
  for (const transaction of block.transactions) {
    classification.countUnknown(transaction.messages);
    if (transaction.code === 0) classification.countUndecoded(transaction.messages);
    const place: Place = {
      height: block.height,
      index: transaction.index,
      name: `${block.height}-${transaction.index}`,
      txHash: transaction.hash,
      memo: transaction.memo,
      signers: signersOf(transaction),
      succeeded: transaction.code === 0,
      parts: cutTransaction(transaction),
    };
    const rows = describeLoneFees(classification.rowsOf(place), transaction.messages);
    addAll(rows, place);
    transactions.push(indexedTransaction(block.height, transaction, rows));
  }
  addAll(
    ownRows.filter(({ event }) => event >= end),
    own,
  );

  return {
    events: list.events,
    transactions,
    ...classification.found,
    supplyChanges: classification.supply.rows(),
    proposalEnds: proposalEnds(block),
    validatorNames: validatorNames(block),
  };
}

function blockPlace({ height, events }: Block): Place {
  const parts = cutBlock(events);
  const place = { height, index: -1, name: `${height}-block`, txHash: `block:${height}`, memo: '' };
  return { ...place, signers: new Set(), succeeded: true, parts };
}

const firstIndexOf = (part: Part | undefined) =>
  Math.min(part?.events[0]?.index ?? Infinity, part?.bank[0]?.index ?? Infinity);

/** Collects the results of one block. */
class Classification {
  readonly found = {
    movements: [] as CoinMovement[],
    unclassified: new Map<string, number>(),
    unreviewedMoves: new Map<string, number>(),
    unknownTypes: new Map<string, number>(),
    undecoded: new Map<string, number>(),
    oversized: [] as OversizedToken[],
    denomMetadata: [] as DenomMetadata[],
    voucherTraces: [] as string[],
    shareRewards: [] as ShareReward[],
  };
  readonly supply: SupplyChanges;

  constructor(
    private readonly chain: ChainFacts,
    private readonly block: Block,
  ) {
    this.supply = new SupplyChanges(block.height);
  }

  /** Returns rows in event order. */
  rowsOf(place: Place): RowDraft[] {
    const bank = place.parts.flatMap((part) => part.bank);
    const oversized = oversizedDenoms(bank);
    for (const denom of oversized) this.found.oversized.push({ height: place.height, tx_hash: place.txHash, denom });
    const stored = storable(bank, oversized);
    const nets = netChanges(stored);
    this.supply.add(stored);
    const chain = withShareRecords(this.chain, place.parts);
    const rows = place.parts.flatMap((part) => this.rowsOfPart(part, place, oversized, chain));
    assertExplained(place.name, nets, rows, chain);
    this.addMovements(place, nets);
    for (const { events } of place.parts) this.addNotes(events, place, chain);
    return rows.sort((a, b) => a.event - b.event);
  }

  private addNotes(
    events: readonly ScopedEvent[],
    { height, txHash: tx_hash, index: place }: Place,
    chain: ChainFacts,
  ): void {
    this.found.voucherTraces.push(...voucherTraces(events));
    for (const event of events) {
      if (event.type === METADATA_EVENT) {
        const claimed = claimedIdentity(event);
        if (claimed) this.found.denomMetadata.push({ ...claimed, height, tx_hash });
      } else if (event.type === REWARD_EVENT) {
        this.found.shareRewards.push(...shareRewards(event, { block: this.block, place, chain }));
      }
    }
  }

  countUnknown(messages: readonly Message[]): void {
    for (const { typeUrl, inner } of messages) {
      if (!isKnownType(typeUrl)) count(this.found.unknownTypes, typeUrl, 1);
      this.countUnknown(inner);
    }
  }

  countUndecoded(messages: readonly Message[]): void {
    for (const { typeUrl, fault, inner } of messages) {
      if (fault !== undefined) count(this.found.undecoded, typeUrl, 1);
      this.countUndecoded(inner);
    }
  }

  private rowsOfPart(part: Part, place: Place, oversized: ReadonlySet<string>, chain: ChainFacts): readonly RowDraft[] {
    const { phase, message, via, contracts, events } = part;
    const ofMessage = message && classifierOfMessage(message.typeUrl);
    const cause = ofMessage?.trigger ?? (events.some(({ type }) => SLASHES.includes(type)) ? 'slash' : undefined);
    const facts = {
      chain,
      phase,
      height: place.height,
      place: place.name,
      succeeded: place.succeeded,
      message,
      via,
      contracts,
      cause,
      events,
    };
    const scope = new OpenScope(facts, readPayments(storable(part.bank, oversized)), oversized);
    for (const event of events) {
      for (const classifier of classifiersOfEvent(event.type)) classifier.classify(event, scope);
    }
    ofMessage?.classify?.(scope);
    for (const classifier of phaseClassifiers) if (classifier.phases.includes(phase)) classifier.classify(scope);
    this.explainRest(scope);
    const unreviewed = message ? 0 : scope.rows.filter(({ detail }) => detail === NOT_REVIEWED).length;
    if (unreviewed > 0) count(this.found.unreviewedMoves, String(place.height), unreviewed);
    const rows = creditRouted(scope.rows, this.chain);
    return phase === 'message' ? rows : rows.map((row) => ({ ...row, byChain: true }));
  }

  private explainRest(scope: OpenScope): void {
    const rest = scope.unexplained();
    if (rest.length === 0) return;
    const around = scope.phase === 'ante' || scope.phase === 'post';
    const source = scope.message?.typeUrl ?? (around ? 'fee' : scope.phase);
    const rows = unclassifiedRows(rest, scope.chain, `Not classified: ${source}`);
    if (rows.length > 0) count(this.found.unclassified, source, rows.length);
    scope.explain(rest, rows);
  }

  private addMovements({ height, index: place, txHash: tx_hash }: Place, nets: NetChanges): void {
    for (const [address, denoms] of nets) {
      for (const [denom, amount] of denoms) {
        if (amount !== 0n) this.found.movements.push({ address, denom, height, place, tx_hash, amount });
      }
    }
  }
}

/** Removes coins that are too large to store. */
function storable(bank: readonly BankEvent[], oversized: ReadonlySet<string>): readonly BankEvent[] {
  if (oversized.size === 0) return bank;
  return bank.map((event) => ({ ...event, coins: event.coins.filter(({ denom }) => !oversized.has(denom)) }));
}

function count(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}
