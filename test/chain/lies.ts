/**
 * Lies of a node about one height. A lying node is a test node with a lie:
 *
 *   const node = await startNode({ lie: lyingAt(20, LIES['coins out of nothing']) });
 *
 * PROVABLE lies contradict a hash, the clock or the events that every chain writes. LIES contradict none of these: only a second node, an
 * audit or the fold can find them.
 */

import { headerHash } from '../../pipeline/chain/block-hashes.js';
import type { BlockRecord, RecordedHeader } from '../../pipeline/chain/block-record.js';
import { sampleLines } from './sample.js';

/** Changes what a node answers about a height. */
export type Lie = (height: number, line: string) => string;

/** Changes the record of a block in place. */
type Change = (record: BlockRecord) => void;

/** Returns a lie about one height; answers about all others stay true. */
export const lyingAt =
  (height: number, change: Change): Lie =>
  (at, line) => {
    if (at !== height) return line;
    const record: BlockRecord = JSON.parse(line);
    change(record);
    return JSON.stringify(record);
  };

const recorded = (height: number): BlockRecord => JSON.parse(sampleLines[height]!);

/** Changes the header, which has the hash of what it says then. */
export const forge = ({ block: { block_id, block } }: BlockRecord, header: Partial<RecordedHeader>) => {
  Object.assign(block.header, header);
  block_id.hash = headerHash(block.header);
};

/** The first result of a transaction. */
const result = ({ block_results }: BlockRecord) => block_results.txs_results![0]!;

const UPDATE = { pub_key: { Sum: { value: { ed25519: Buffer.alloc(32, 7).toString('base64') } } }, power: '1000000' };

/** For heights with a transaction that succeeded. */
export const PROVABLE = {
  'a garbled transaction': ({ block }) => block.block.data.txs!.splice(0, 1, 'AAAA'),
  'a transaction left out': ({ block, block_results }) => {
    block.block.data.txs!.pop();
    block_results.txs_results!.pop();
  },
  'the header of another block': (record) => {
    const { block } = recorded(record.height - 1).block;
    Object.assign(record.block.block.header, { ...block.header, height: String(record.height) });
  },
  'a header of its own': (record) => forge(record, { app_hash: 'AB'.repeat(32) }),
  'a time of 2090': (record) => forge(record, { time: '2090-01-01T00:00:00Z' }),
  'results of another block': (record) => {
    const { block_results: other } = recorded(21);
    other.txs_results = Array.from(
      record.block_results.txs_results!,
      (_, i) => other.txs_results![i] ?? other.txs_results![0]!,
    );
    Object.assign(record.block_results, { ...other, height: String(record.height) });
  },
  'another outcome': (record) => Object.assign(result(record), { code: 5 }),
  'success without events': (record) => Object.assign(result(record), { events: [] }),
  'a validator update that was not': (record) => Object.assign(record.block_results, { validator_updates: [UPDATE] }),
  'evidence that was not': ({ block }) =>
    block.block.evidence!.evidence!.push({ type: 'tendermint/LightClientAttackEvidence', value: {} }),
} as const satisfies Record<string, Change>;

export const LIES = {
  'other events': (record) => {
    const transfer = result(record).events!.find(({ type }) => type === 'transfer')!;
    transfer.attributes!.find(({ key }) => key === 'amount')!.value = '999uatom';
  },
  'coins out of nothing': (record) => {
    const receiver = /cosmos1[0-9a-z]{38}/.exec(JSON.stringify(result(record).events))![0];
    const attributes = Object.entries({ receiver, amount: '777000000uatom', msg_index: '0' });
    result(record).events!.push({
      type: 'coin_received',
      attributes: attributes.map(([key, value]) => ({ key, value })),
    });
  },
  'an event left out': (record) => result(record).events!.pop(),
  'another event of the block': ({ block_results }) => block_results.finalize_block_events!.reverse(),
} as const satisfies Record<string, Change>;

/** For heights with a change of the validator set. */
export const otherValidatorUpdate: Change = ({ block_results }) => {
  block_results.validator_updates![0] = UPDATE;
};
