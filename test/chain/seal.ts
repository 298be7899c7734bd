/** Gives altered or hand-made records the hashes that CometBFT computes for them, so that they pass the checks of a block. */

import { dataHash, evidenceHash, headerHash, resultsHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord } from '../../pipeline/chain/block-record.js';

/** The event of the ante handler that every successful transaction has. */
export const sequenceEvent = { type: 'tx', attributes: [{ key: 'acc_seq', value: 'cosmos1payer/0' }] };

/**
 * Returns records that follow each other, as lines. Text that is no record stays as it is.
 * @param lines in ascending order of height
 */
export function sealed(lines: readonly string[]): string[] {
  let before: BlockRecord | undefined;
  return lines.map((line) => {
    const record = parse(line);
    if (!record) return line;
    const changed = seal(record, before);
    before = record;
    return changed ? JSON.stringify(record) : line;
  });
}

function parse(line: string): BlockRecord | undefined {
  try {
    const record: BlockRecord = JSON.parse(line);
    return record.block.block.header && record;
  } catch {
    return undefined;
  }
}

const setOf = (height: string) => dataHash([`set made at ${height}`]);

/** Puts right hashes into a record. @returns false when it had them all */
function seal({ block: { block_id, block } }: BlockRecord, before: BlockRecord | undefined) {
  const { header, data, evidence } = block;
  const old = JSON.stringify([block_id.hash, header]);
  header.data_hash = dataHash(data.txs);
  header.evidence_hash = evidenceHash(evidence?.evidence) ?? header.evidence_hash ?? '';
  header.validators_hash ??= setOf('genesis');
  header.next_validators_hash ??= header.validators_hash;
  if (before) {
    const { block: parent, block_results: outcome } = before;
    header.last_block_id.hash = parent.block_id.hash;
    header.last_results_hash = resultsHash(outcome.txs_results);
    header.validators_hash = parent.block.header.next_validators_hash!;
    const updates = (outcome.validator_updates ?? []).length > 0;
    const isChanged = header.next_validators_hash !== header.validators_hash;
    if (updates !== isChanged) header.next_validators_hash = updates ? setOf(header.height) : header.validators_hash;
  }
  block_id.hash = headerHash(header);
  return JSON.stringify([block_id.hash, header]) !== old;
}
