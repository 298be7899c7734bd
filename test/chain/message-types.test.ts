/** Messages of the Hub's own modules: who they are run for, held against who paid the fee of the recorded transaction. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../pipeline/base/project.js';
import { messageTypes } from '../../pipeline/chain/message-types.js';
import { decodeMessage } from '../../pipeline/chain/read-blocks.js';
import type { RecordedCase } from '../../scripts/commands/record-case.js';

const cases: [path: string, member: string][] = [
  ['tokenfactory/MsgCreateDenom-plain', 'sender'],
  ['tokenfactory/MsgMint-and-burn', 'sender'],
  ['tokenfactory/MsgMint-unasked', 'sender'],
  ['liquid/MsgTokenizeShares-record-of-another', 'delegatorAddress'],
  ['liquid/MsgRedeemTokensForShares-record-of-another', 'delegatorAddress'],
  ['liquid/MsgTransferTokenizeShareRecord-plain', 'sender'],
];

for (const [path, member] of cases) {
  test(path, () => {
    const text = readFileSync(join(projectRoot(), `test/classify/${path}.json`), 'utf8');
    const { transaction, rows }: RecordedCase = JSON.parse(text);
    const payer = rows.find(({ category }) => category === 'fee')?.address;
    for (const [typeUrl, bytes] of transaction!.messages) {
      const { value } = decodeMessage({ typeUrl, value: Buffer.from(bytes, 'base64') });
      assert.equal((value as Record<string, unknown>)[member], payer);
    }
  });
}

test('other fields are passed over, and a field that stands several times counts as it stands last', () => {
  const decode = (bytes: number[]) =>
    messageTypes.get('/gaia.liquid.v1beta1.MsgTransferTokenizeShareRecord')!.decode(new Uint8Array(bytes));
  const field = (number: number, text: string) => [(number << 3) | 2, text.length, ...Buffer.from(text)];
  const [varint, fixed64, fixed32] = [
    [1 << 3, 0xac, 0x02],
    [(4 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8],
    [(5 << 3) | 5, 1, 2, 3, 4],
  ] as const;
  assert.deepEqual(
    decode([...varint, ...field(2, 'one'), ...fixed64, ...field(3, 'new'), ...fixed32, ...field(2, 'two')]),
    {
      sender: 'two',
    },
  );
  assert.deepEqual(decode([]), { sender: '' });
  assert.throws(() => decode([(2 << 3) | 2, 5, 97]), /premature EOF/);
});
