/**
 * Compares blocks of sampled heights from two nodes, because no hash covers events and validator updates. A secret in
 * the data folder selects the heights, so that nodes cannot predict them. The sample never changes, so a later run
 * cannot accept a height on which two nodes differed.
 */
import { hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, replaceFile } from '../base/disk/atomic-files.js';
import type { BlockRecord, RecordedEvent } from './block-record.js';

export interface CrossCheck {
  /** Sampled share of heights: 0 = none, 1 = all. */
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

export function difference(one: BlockRecord, other: BlockRecord): string | undefined {
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

/** Leaves out what may differ between honest nodes: the `index` flag, and null instead of an empty list or text. */
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
