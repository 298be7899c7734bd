/**
 * Checks each block of a source. If a check fails, requests the block from the other endpoints, then from the same
 * endpoint again. Blocks of sampled heights are also compared between two nodes, because no hash covers events and
 * validator updates. A secret in the data folder selects the heights, so that nodes cannot predict them. The sample
 * never changes, so a later run cannot accept a height on which two nodes differed.
 */
import { hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { RawBlock } from '../../schemas/types.generated.js';
import { makeFolder, replaceFile } from '../base/disk/atomic-files.js';
import { BlockError } from './block-error.js';
import { headerHash } from './block-hashes.js';
import type { BlockRecord, RecordedEvent, RecordedHeader } from './block-record.js';
import { type CheckedBlock, checkBlock, type Link, linkFault } from './check-block.js';
import type { ChainEndpoint, ChainRecord, ChainSource, ChainStatus } from './nodes/chain-source.js';

export interface CrossCheck {
  /** Share of heights that are sampled: 0 = none, 1 = all. */
  readonly share: number;
  readonly secret: string;
}

export const isSampled = ({ share, secret }: CrossCheck, height: number): boolean =>
  hash('sha256', `${secret}/${height}`, 'buffer').readUInt32BE() < share * 2 ** 32;

export function crossCheckSecret(dataDir: string): string {
  const path = join(dataDir, 'cross-check.secret');
  if (!existsSync(path)) {
    makeFolder(dataDir);
    replaceFile(path, randomBytes(32).toString('hex'));
  }
  return readFileSync(path, 'utf8');
}

function difference(one: BlockRecord, other: BlockRecord): string | undefined {
  const [a, b] = [one.block_results, other.block_results];
  const [evidence, otherEvidence] = [one, other].map(({ block }) => block.block.evidence?.evidence ?? []);
  if (one.block.block_id.hash !== other.block.block_id.hash) return 'block_id/hash';
  if (!isDeepStrictEqual(evidence, otherEvidence)) return 'evidence';
  const [outcomes, otherOutcomes] = [a.txs_results ?? [], b.txs_results ?? []];
  if (outcomes.length !== otherOutcomes.length) return 'txs_results';
  for (const [i, outcome] of outcomes.entries()) {
    const found = eventsDifference(outcome.events, otherOutcomes[i]!.events);
    if (found !== undefined) return `txs_results/${i}/${found}`;
  }
  const found = eventsDifference(a.finalize_block_events, b.finalize_block_events);
  if (found !== undefined) return `finalize_block_${found}`;
  for (const name of ['validator_updates', 'consensus_param_updates'] as const) {
    if (!isDeepStrictEqual(a[name] ?? [], b[name] ?? [])) return name;
  }
  return undefined;
}

export function contentHash({ block, block_results: results }: BlockRecord): string {
  const content = [
    block.block_id.hash,
    block.block.data.txs ?? [],
    block.block.evidence?.evidence ?? [],
    (results.txs_results ?? []).map(({ code, events }) => [code ?? 0, (events ?? []).map(eventText)]),
    (results.finalize_block_events ?? []).map(eventText),
    results.validator_updates ?? [],
    results.consensus_param_updates ?? [],
  ];
  return hash('sha256', JSON.stringify(content));
}

/**
 * Serializes an event without parts that may differ between honest nodes: the flag `index`, and whether an empty list
 * or text is written as null.
 */
const eventText = ({ type, attributes }: RecordedEvent): string =>
  JSON.stringify([type, (attributes ?? []).map(({ key, value }) => [key, value ?? ''])]);

function eventsDifference(
  one: readonly RecordedEvent[] | null,
  other: readonly RecordedEvent[] | null,
): string | undefined {
  const [events, others] = [one ?? [], other ?? []];
  const text = (event: RecordedEvent | undefined) => event && eventText(event);
  const at = [...Array(Math.max(events.length, others.length)).keys()].find((i) => text(events[i]) !== text(others[i]));
  return at === undefined ? undefined : `events/${at} (${events[at]?.type ?? others[at]?.type})`;
}

export interface SourcedBlock extends CheckedBlock {
  readonly endpoint?: ChainEndpoint | undefined;
  readonly second?: ChainRecord | undefined;
  readonly isStored?: boolean;
}

/**
 * Result of a comparison. `refuted`: one of the two answers contradicts the signed hashes, so that the next header shows
 * which one. `differs`: no hash shows which of the two replies is right.
 */
export type Comparison =
  | { readonly result: 'unanswered' }
  | { readonly result: 'same'; readonly second: string }
  | { readonly result: 'refuted' | 'differs'; readonly second: string; readonly difference: string };

export const differenceText = (
  endpoint: ChainEndpoint | undefined,
  { second, difference }: Extract<Comparison, { readonly difference: string }>,
): string => `${endpoint?.name} and ${second} answer differently: ${difference}`;

interface CheckOptions {
  readonly chainId: string;
  readonly now: () => number;
  readonly crossCheck?: CrossCheck | undefined;
  /** Called for each sampled height that could not be compared, because no second endpoint has the block. */
  readonly onUncompared?: ((height: number) => void) | undefined;
}

export class CheckedSource {
  constructor(
    private readonly source: ChainSource,
    private readonly options: CheckOptions,
  ) {}

  status(asks?: number): Promise<ChainStatus> {
    return this.source.status(asks);
  }

  /**
   * Returns the header of a block. Checks its hash, but no results.
   * @throws BlockError if no node has the block
   */
  async header(height: number): Promise<RecordedHeader> {
    for await (const text of this.source.blocksOnly?.(height) ?? []) {
      const header = provedHeader(text);
      if (header?.height === String(height) && header.chain_id === this.options.chainId) return header;
    }
    for await (const { record } of this.blocks(height, height)) return record.block.block.header;
    throw BlockError.nowhere(height, []);
  }

  blocks(from: number, to: number): AsyncGenerator<SourcedBlock> {
    return this.checked(this.source.records(from, to));
  }

  /** Yields single blocks. Does not check that they follow each other. */
  blocksAt(heights: readonly number[]): AsyncGenerator<SourcedBlock> {
    return this.checked(this.source.recordsAt!(heights));
  }

  private async *checked(records: AsyncIterable<ChainRecord>): AsyncGenerator<SourcedBlock> {
    for await (const record of records) {
      const first = this.check(record);
      yield 'fault' in first ? await this.another(record, first) : first;
    }
  }

  /**
   * Checks that `next` links to `last`. If it does not, either block may be wrong, so both are requested again.
   * @param before link of the block before `last`, if known
   * @throws BlockError if no two responses fit together
   */
  async agree(before: Link | undefined, last: SourcedBlock, next: SourcedBlock): Promise<[SourcedBlock, SourcedBlock]> {
    const fault = linkFault(last.link, next);
    if (!fault) return [last, next];
    const sources = [last.endpoint, next.endpoint];
    const nexts = [next];
    for await (const other of this.again(next)) {
      if (!linkFault(last.link, other)) return [last, other];
      sources.push(other.endpoint);
      nexts.push(other);
    }
    for await (const other of this.again(last)) {
      if (before && linkFault(before, other)) continue;
      const follower = nexts.find((one) => !linkFault(other.link, one));
      if (follower) return [other, follower];
    }
    const { height, hash, reason } = allOf([{ fault, endpoints: sources }]);
    const stored = [last, next].filter(({ isStored }) => isStored).map(({ row }) => storedHint(row.height));
    throw new BlockError(height, hash, reason + stored.join(''));
  }

  /** Compares a block with the reply of a second endpoint. */
  async compare({ row: { height }, record, link, endpoint, second: given }: SourcedBlock): Promise<Comparison> {
    const second = given ?? (await this.source.second?.(height, endpoint));
    if (!second) return { result: 'unanswered' };
    const names = { second: second.endpoint?.name ?? '' };
    const other = this.check(second);
    if ('fault' in other) return { result: 'refuted', ...names, difference: other.fault.reason };
    const found = difference(record, other.record);
    if (!haveSameProof(link, other.link)) {
      return { result: 'refuted', ...names, difference: found ?? 'code, data or gas of txs_results' };
    }
    return found === undefined ? { result: 'same', ...names } : { result: 'differs', ...names, difference: found };
  }

  /**
   * Compares a sampled block with the response of a second endpoint. Ignores a response whose hashes are wrong.
   * @throws BlockError if the responses differ, or if all heights are sampled and no second endpoint responds
   */
  async crossCheck(block: SourcedBlock): Promise<void> {
    const { crossCheck, onUncompared } = this.options;
    const { row, endpoint } = block;
    if (!crossCheck || !this.source.second || !isSampled(crossCheck, row.height)) return;
    const comparison = await this.compare(block);
    if (comparison.result === 'same') return;
    const fault = (reason: string) => new BlockError(row.height, row.hash, `${reason} (HUBLEDGER_CROSS_CHECK)`);
    const isAll = crossCheck.share === 1;
    if (comparison.result === 'unanswered') {
      if (isAll) throw fault(`${endpoint?.name} has it, but no second endpoint does`);
    } else if (comparison.result === 'differs' || isAll) throw fault(differenceText(endpoint, comparison));
    onUncompared?.(row.height);
  }

  /**
   * Yields the replies of all endpoints that pass the checks of a single block.
   * @param doubted endpoint that is asked last
   */
  async *repliesAt(height: number, doubted?: ChainEndpoint): AsyncGenerator<SourcedBlock> {
    for await (const record of this.source.again?.(height, doubted) ?? []) {
      const checked = this.check(record);
      if (!('fault' in checked)) yield checked;
    }
  }

  private async *again({ row: { height }, endpoint, isStored }: SourcedBlock): AsyncGenerator<SourcedBlock> {
    if (!isStored) yield* this.repliesAt(height, endpoint);
  }

  private async another({ height, endpoint }: ChainRecord, first: Refusal): Promise<SourcedBlock> {
    const refusals = [first];
    for await (const record of this.source.again?.(height, endpoint) ?? []) {
      const checked = this.check(record);
      if (!('fault' in checked)) return checked;
      refusals.push(checked);
    }
    throw allOf(refusals);
  }

  stored({ height, record }: RawBlock): SourcedBlock {
    const checked = this.check({ height, record });
    if (!('fault' in checked)) return { ...checked, isStored: true };
    const { hash, reason } = checked.fault;
    throw new BlockError(height, hash, `${reason}${storedHint(height)}`);
  }

  private check({ height, record, endpoint, second }: ChainRecord): SourcedBlock | Refusal {
    const { chainId, now } = this.options;
    try {
      return { ...checkBlock(record, { height, chainId, now: now() }), endpoint, second };
    } catch (error) {
      if (error instanceof BlockError) return { fault: error, endpoints: [endpoint] };
      throw error;
    }
  }
}

/** Returns the header in a reply to the method `block`; undefined if it does not have the block's hash. */
function provedHeader(reply: string): RecordedHeader | undefined {
  try {
    const { block_id, block }: BlockRecord['block'] = JSON.parse(reply);
    return block_id.hash === headerHash(block.header) ? block.header : undefined;
  } catch {
    return undefined;
  }
}

const haveSameProof = (one: Link, other: Link): boolean =>
  one.hash === other.hash && one.resultsHash === other.resultsHash && one.updatesValidators === other.updatesValidators;

interface Refusal {
  readonly fault: BlockError;
  readonly endpoints: readonly (ChainEndpoint | undefined)[];
}

function allOf(refusals: readonly Refusal[]): BlockError {
  const byReason = new Map<string, Set<string>>();
  for (const { fault, endpoints } of refusals) {
    const names = byReason.get(fault.reason) ?? new Set();
    for (const endpoint of endpoints) if (endpoint) names.add(endpoint.name);
    byReason.set(fault.reason, names);
  }
  const texts = [...byReason].map(([reason, names]) =>
    names.size > 0 ? `${reason} (${[...names].join(', ')})` : reason,
  );
  const { height, hash } = refusals[0]!.fault;
  return new BlockError(height, hash, texts.join('; '));
}

const storedHint = (height: number) =>
  `; block ${height} is on disk: if it is the wrong one, \`./hubledger refetch ${height} ${height}\` replaces it`;
