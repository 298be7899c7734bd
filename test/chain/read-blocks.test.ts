import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BinaryWriter } from 'cosmjs-types/binary';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { TxBody, TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';
import { Any } from 'cosmjs-types/google/protobuf/any';
import { projectRoot } from '../../pipeline/base/project.js';
import type { Block } from '../../pipeline/chain/block.js';
import { BlockError } from '../../pipeline/chain/block-error.js';
import { decodeMessage, decodeTransaction, messageTypes, outlineMessage } from '../../pipeline/chain/messages.js';
import { listRanges, rawFolder } from '../../pipeline/chain/raw-files.js';
import { outlineBlock, readBlock, readBlocks } from '../../pipeline/chain/read-blocks.js';
import type { RecordedCase } from '../../scripts/recordings/recorded-case.js';
import { openDatabase } from '../open-database.js';
import { CHAIN_ID, index, sampleLines, temporaryFolder } from './sample.js';

async function readAll(dataDir: string): Promise<Block[]> {
  const database = await openDatabase();
  const blocks: Block[] = [];
  for (const range of listRanges(rawFolder(dataDir, CHAIN_ID))) {
    for await (const block of readBlocks(database, range)) blocks.push(block);
  }
  database.close();
  return blocks;
}

/** The type URL that the chain itself notes for each message of a transaction that succeeded. */
function actions({ events }: { events: Block['events'] }): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  for (const { type, attributes } of events) {
    const value = (key: string) => attributes.find((attribute) => attribute.key === key)?.value;
    if (type === 'message' && value('action')) found[Number(value('msg_index'))] = value('action');
  }
  return found;
}

test('the whole sample comes back from disk: every block, transaction, message, event and memo', async (context) => {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { from: 1 });
  const blocks = await readAll(dataDir);
  assert.deepEqual(
    blocks.map(({ height }) => height),
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  for (const block of blocks) {
    const { block: answer, block_results: results } = JSON.parse(sampleLines[block.height]!);
    const { header } = answer.block;
    assert.deepEqual([block.hash, block.time, block.chainId], [answer.block_id.hash, header.time, header.chain_id]);
    assert.deepEqual(block.events, results.finalize_block_events);
    assert.deepEqual(
      block.transactions.map(({ events }) => events),
      (results.txs_results ?? []).map((t: { events: unknown }) => t.events),
    );
    for (const transaction of block.transactions) {
      assert.equal(transaction.code, results.txs_results[transaction.index].code);
      if (transaction.code === 0)
        assert.deepEqual(
          transaction.messages.map(({ typeUrl }) => typeUrl),
          actions(transaction),
        );
    }
  }
  const transactions = blocks.flatMap(({ height, transactions: list }) => list.map((t) => ({ height, ...t })));
  assert.deepEqual([transactions.length, transactions.filter(({ code }) => code !== 0).length], [3142, 63]);
  const memoOf = (hash: string) => transactions.find((transaction) => transaction.hash === hash)?.memo;
  assert.equal(
    memoOf('036B8C61DA595FE5B2FB7D8AD5B35214FCD1708C78BF5FFD1EEAEDD276042B8B'),
    'line one\nline two\r\nthree',
  );
  assert.equal(memoOf('C9B08BA1CB80184799925C3F04BB42F87840960EEFBA47ACF2858C774C4C7160'), 'ünïcödé ✓ 日本語 🚀');
});

test('some heights of a range', async (context) => {
  const dataDir = temporaryFolder(context);
  await index(dataDir, { from: 1, until: 20 });
  const database = await openDatabase();
  const heights: number[] = [];
  const [range] = listRanges(rawFolder(dataDir, CHAIN_ID));
  for await (const { height } of readBlocks(database, range!, 7, 9)) heights.push(height);
  database.close();
  assert.deepEqual(heights, [7, 8, 9]);
});

/** A record with one transaction of the given bytes and outcome. */
function oneTransaction(bytes: Buffer, outcome: object, blockEvents: unknown = []) {
  const record = JSON.parse(sampleLines[14]!);
  record.block.block.data.txs = [bytes.toString('base64')];
  record.block_results.txs_results = [outcome];
  record.block_results.finalize_block_events = blockEvents;
  return { height: 14, hash: 'AB', record: JSON.stringify(record) };
}

test('a failed transaction may be any bytes, one that succeeded must decode', () => {
  const nonsense = Buffer.from('not a transaction');
  const { transactions } = readBlock(oneTransaction(nonsense, { code: 2, events: null }));
  assert.deepEqual(transactions, [
    {
      index: 0,
      hash: 'E2E27FD985C49F132E70ACB2B3CF780CC2CBD0CCC5124145AB0A6A70D04FFF29',
      code: 2,
      memo: '',
      messages: [],
      events: [],
    },
  ]);
  assert.throws(
    () => readBlock(oneTransaction(nonsense, { code: 0, events: [] })),
    (error) =>
      error instanceof BlockError &&
      error.height === 14 &&
      error.message.startsWith('block 14 (AB): transaction 0 does not decode'),
  );
});

test('in outline a block says the same', () => {
  for (const [height, record] of sampleLines.entries()) {
    if (height === 0) continue;
    assert.deepEqual(outlineBlock(height, 'AB', JSON.parse(record)), readBlock({ height, hash: 'AB', record }));
  }
});

test('a message that is not of its type is kept with its bytes and the fault, inside MsgExec and as one', () => {
  const broken = (typeUrl: string) => Any.fromPartial({ typeUrl, value: Uint8Array.of(10, 200) });
  const exec = MsgExec.fromPartial({ grantee: 'g', msgs: [broken(MsgSend.typeUrl)] });
  const messages = [
    broken(MsgSend.typeUrl),
    Any.fromPartial({ typeUrl: MsgExec.typeUrl, value: MsgExec.encode(exec).finish() }),
    broken(MsgExec.typeUrl),
    broken('/strange.v1.MsgStrange'),
  ];
  const bodyBytes = TxBody.encode(TxBody.fromPartial({ messages, memo: 'read' })).finish();
  const bytes = Buffer.from(TxRaw.encode(TxRaw.fromPartial({ bodyBytes })).finish());
  const { height, hash, record } = oneTransaction(bytes, { code: 0, events: [] });
  for (const block of [outlineBlock(height, hash, JSON.parse(record)), readBlock({ height, hash, record })]) {
    const [transaction] = block.transactions;
    assert.equal(transaction!.memo, 'read');
    const [sent, outer, unread, strange] = transaction!.messages;
    for (const message of [sent!, outer!.inner[0]!, unread!]) {
      assert.deepEqual([message.value, message.inner], [undefined, []]);
      assert.match(message.fault!, /\w/);
      assert.deepEqual([...message.bytes], [10, 200]);
    }
    assert.deepEqual([outer!.fault, strange!.fault, strange!.value], [undefined, undefined, undefined]);
  }
});

test('null lists and values of a node read as empty ones', () => {
  const events = [
    { type: 'a', attributes: null },
    { type: 'b', attributes: [{ key: 'k', value: null }, { key: 'l' }] },
  ];
  const block = readBlock(oneTransaction(Buffer.alloc(0), { events }, null));
  assert.deepEqual(block.events, []);
  assert.equal(block.transactions[0]!.code, 0);
  assert.deepEqual(block.transactions[0]!.events, [
    { type: 'a', attributes: [] },
    {
      type: 'b',
      attributes: [
        { key: 'k', value: '' },
        { key: 'l', value: '' },
      ],
    },
  ]);
});

test('an attack on light clients is evidence against each validator in it, at the height before it', () => {
  const record = JSON.parse(sampleLines[7]!);
  record.block.block.evidence.evidence = [
    { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a: { height: '5', validator_address: 'AA' } } },
    {
      type: 'tendermint/LightClientAttackEvidence',
      value: { CommonHeight: '4', ByzantineValidators: [{ address: 'BB' }, { address: 'CC' }] },
    },
    { type: 'tendermint/LightClientAttackEvidence', value: { CommonHeight: '3', ByzantineValidators: null } },
  ];
  const { doubleSigns } = readBlock({ height: 7, hash: '', record: JSON.stringify(record) });
  assert.deepEqual(doubleSigns, [
    { validatorAddress: 'AA', height: 5 },
    { validatorAddress: 'BB', height: 4 },
    { validatorAddress: 'CC', height: 4 },
  ]);
});

const send = MsgSend.fromPartial({ fromAddress: 'a', toAddress: 'b', amount: [{ denom: 'uatom', amount: '7' }] });
const anySend = Any.fromPartial({ typeUrl: MsgSend.typeUrl, value: MsgSend.encode(send).finish() });
const unknown = Any.fromPartial({ typeUrl: '/new.module.v1.MsgSurprise', value: Uint8Array.of(255, 1) });
const exec = (...msgs: Any[]) =>
  Any.fromPartial({
    typeUrl: MsgExec.typeUrl,
    value: MsgExec.encode(MsgExec.fromPartial({ grantee: 'g', msgs })).finish(),
  });
const transaction = (bodyBytes: Uint8Array) => TxRaw.encode(TxRaw.fromPartial({ bodyBytes })).finish();
const body = (messages: Any[], memo = '') =>
  transaction(TxBody.encode(TxBody.fromPartial({ messages, memo, timeoutHeight: 9n })).finish());

test('messages inside authz are decoded at any depth, unknown ones keep their bytes', () => {
  const { messages, memo } = decodeTransaction(body([exec(anySend, exec(unknown, anySend)), anySend], 'hello'));
  assert.equal(memo, 'hello');
  const { typeUrl, value, fault, bytes, inner } = messages[1]!;
  assert.deepEqual([typeUrl, value, fault, bytes, inner], [MsgSend.typeUrl, send, undefined, anySend.value, []]);
  const [first, second] = messages[0]!.inner;
  assert.deepEqual(first!.value, send);
  assert.deepEqual(
    second!.inner.map(({ typeUrl, value, bytes }) => [typeUrl, value, bytes]),
    [
      [unknown.typeUrl, undefined, unknown.value],
      [MsgSend.typeUrl, send, anySend.value],
    ],
  );
});

test('of messages within one another the first hundred are opened: thousands are more than the stack holds', () => {
  let nested = anySend;
  for (let i = 0; i < 4000; i++) nested = exec(nested);
  for (const readMessage of [decodeMessage, outlineMessage]) {
    let [message] = decodeTransaction(body([nested]), readMessage).messages;
    let depth = 0;
    for (; message!.inner.length > 0; depth++) message = message!.inner[0];
    assert.deepEqual(
      [depth, message!.value, message!.fault],
      [100, undefined, 'it is nested in more than 100 messages'],
    );
    assert.ok(message!.bytes.length > 100_000, 'its bytes are kept');
  }
});

test('a memo may be any bytes: what is no UTF-8 is replaced, what looks like a byte order mark is kept', () => {
  const memoOf = (...bytes: number[]) =>
    decodeTransaction(transaction(new BinaryWriter().uint32(18).bytes(Uint8Array.from(bytes)).finish())).memo;
  assert.equal(memoOf(0x61, 0xff, 0xc3, 0x62), 'a\ufffd\ufffdb');
  assert.equal(memoOf(0xed, 0xa0, 0x80), '\ufffd\ufffd\ufffd');
  assert.equal(memoOf(0xef, 0xbb, 0xbf, 0x61), '\ufeffa');
  assert.equal(memoOf(0, 10, 0xf0, 0x9f, 0x9a, 0x80), '\u0000\n🚀');
});

test('what is no transaction throws', () => {
  const whole = body([anySend]);
  assert.throws(() => decodeTransaction(whole.subarray(0, whole.length - 3)));
  assert.throws(() => decodeTransaction(Uint8Array.of(255, 255, 255)));
});

test('a message that is not of its type keeps its bytes and says what is wrong with them', () => {
  const broken = Any.fromPartial({ typeUrl: MsgSend.typeUrl, value: Uint8Array.of(10, 200) });
  const [message] = decodeTransaction(body([broken])).messages;
  assert.deepEqual([message!.value, message!.bytes], [undefined, broken.value]);
  assert.match(message!.fault!, /./);
});

test('the hash is upper-case SHA-256', () => {
  const record = JSON.parse(sampleLines[7]!);
  record.block.block.data.txs = [Buffer.from('abc').toString('base64')];
  record.block_results.txs_results = [{ code: 1, events: [] }];
  const { transactions } = readBlock({ height: 7, hash: '', record: JSON.stringify(record) });
  assert.equal(transactions[0]!.hash, 'BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD');
});

test('every module that the chain runs is known by its type URLs, responses are not', () => {
  for (const url of [
    '/cosmos.bank.v1beta1.MsgMultiSend',
    '/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation',
    '/cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool',
    '/cosmos.gov.v1.MsgCancelProposal',
    '/cosmos.gov.v1beta1.MsgSubmitProposal',
    '/cosmos.authz.v1beta1.MsgRevoke',
    '/cosmos.feegrant.v1beta1.MsgPruneAllowances',
    '/cosmos.vesting.v1beta1.MsgCreatePeriodicVestingAccount',
    '/cosmos.slashing.v1beta1.MsgUnjail',
    '/cosmos.evidence.v1beta1.MsgSubmitEvidence',
    '/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade',
    '/cosmos.crisis.v1beta1.MsgVerifyInvariant',
    '/ibc.core.client.v1.MsgUpdateClient',
    '/ibc.core.connection.v1.MsgConnectionOpenInit',
    '/ibc.core.channel.v1.MsgRecvPacket',
    '/ibc.core.channel.v2.MsgSendPacket',
    '/ibc.applications.transfer.v1.MsgTransfer',
    '/ibc.applications.interchain_accounts.controller.v1.MsgSendTx',
    '/cosmwasm.wasm.v1.MsgExecuteContract',
  ]) {
    assert.ok(messageTypes.has(url), url);
  }
  assert.deepEqual(
    [...messageTypes.keys()].filter((url) => url.endsWith('Response')),
    [],
  );
});

/** Messages of the Hub's own modules: who they are run for, held against who paid the fee of the recorded transaction. */

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
