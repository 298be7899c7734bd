/** Messages of the Hub's own modules: who they are run for, held against who paid the fee of the recorded transaction. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeMessage } from '../../pipeline/chain/decode-transaction.js';
import { projectRoot } from '../../pipeline/project.js';
import type { RecordedCase } from '../../scripts/recordings/recorded-case.js';

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
