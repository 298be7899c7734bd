/** A night on a chain one of whose messages is not of its type: what a newer program of the chain may bring. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { readManifest } from '../../pipeline/publish/generation.js';
import { FOLDED, NightCase } from './night-case.js';

const chain = new NightCase(FOLDED);
after(() => chain.remove());

/** The transaction with its first message cut off, if that is a send that succeeded. */
function cutOff(text: string): string | undefined {
  const raw = TxRaw.decode(Buffer.from(text, 'base64'));
  const body = TxBody.decode(raw.bodyBytes);
  const [first] = body.messages;
  if (first?.typeUrl !== MsgSend.typeUrl) return undefined;
  first.value = first.value.slice(0, 10);
  const bodyBytes = TxBody.encode(body).finish();
  return Buffer.from(TxRaw.encode({ ...raw, bodyBytes }).finish()).toString('base64');
}

interface Recorded {
  block: { block: { header: { height: string }; data: { txs: string[] | null } } };
  block_results: { txs_results: { code?: number }[] | null };
}

/** The recording with a broken send in its last block that has one. */
function withBrokenSend(lines: readonly string[]): string[] {
  for (let i = lines.length - 1; i >= 0; i--) {
    const record: Recorded = JSON.parse(lines[i]!);
    const { data } = record.block.block;
    const at = data.txs?.findIndex((tx, n) => !record.block_results.txs_results![n]!.code && cutOff(tx)) ?? -1;
    if (at < 0) continue;
    data.txs![at] = cutOff(data.txs![at]!)!;
    return lines.map((line, n) => (n === i ? JSON.stringify(record) : line));
  }
  throw new Error('the recording has no send');
}

test('it is counted and told, and rows and holdings are there all the same', async () => {
  chain.record(withBrokenSend(chain.lines()));
  const { code, out, error } = await chain.command('data', 'nightly');
  assert.equal(code, 0, error);
  assert.match(out, /"undecoded_messages":{"[^}]*MsgSend":1},"msg":"messages that cannot be decoded as their type"/);
  const { generation } = await chain.night('data');
  const manifest = readManifest(chain.path('data', 'generations', generation));
  assert.deepEqual(manifest.undecoded_messages, { [MsgSend.typeUrl]: 1 });
  assert.deepEqual([manifest.unknown_message_types, manifest.unclassified], [{}, {}]);
  assert.ok(manifest.tables.some(({ name }) => name === 'validator_days'));
});
