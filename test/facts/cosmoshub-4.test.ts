/** Transactions of the real Hub, as far as they are public: what each is judged to be. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bech32 } from '@scure/base';
import { projectRoot } from '../../pipeline/base/project.js';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { ReceiptFlags } from '../../pipeline/classify/receipt-flags.js';
import { loadReference } from '../../pipeline/reference.js';
import { type CaseEvent, toBlock } from '../../scripts/recordings/recorded-case.js';
import { account, block, chain, event, message, send, transaction } from '../classify/events.js';

type Texts = Readonly<Record<string, string>>;
interface Facts {
  readonly ibc_transfer: { readonly height: number; readonly hash: string; readonly events: readonly CaseEvent[] };
  readonly record_reward: Texts & { readonly record: number };
  readonly old_claim: { readonly denoms: readonly string[] };
  readonly [name: string]: unknown;
}

const path = join(projectRoot(), 'test/facts/cosmoshub-4.json');
const facts: Facts = JSON.parse(readFileSync(path, 'utf8'));
const textsOf = (name: string) => facts[name] as Texts;
const reference = loadReference();

const [alice, bob] = [account('alice'), account('bob')];
const [collector] = chain.feeCollectors as [string];
const distribution = chain.module('distribution');
const proposer = account('proposer');
const of = (index: number) => ({ msg_index: String(index) });
const told = (type: string, pairs: Texts) => event(type, pairs, of(0));

const classify = (messages: readonly [typeUrl: string, value: unknown][], events: readonly ChainEventRecord[]) =>
  classifyBlock(
    block(
      [],
      [
        transaction(
          messages.map(([typeUrl, value]) => message(typeUrl, value)),
          events,
        ),
      ],
    ),
    chain,
  );

/** Rows in a few words: address, category, coins. */
const rowsOf = ({ events }: ReturnType<typeof classifyBlock>) =>
  events.map((row) => [
    row.address,
    row.category,
    ...(row.sent_amount === null ? [] : [`-${row.sent_amount}${row.sent_denom}`]),
    ...(row.received_amount === null ? [] : [`+${row.received_amount}${row.received_denom}`]),
    ...(row.fee_amount === null ? [] : [`-${row.fee_amount}${row.fee_denom}`]),
  ]);

test('a transfer to its own key on Osmosis: fee, ibc_out, and the tip at the consensus address', () => {
  const { height, hash, events } = facts.ibc_transfer;
  const messages = [['/ibc.applications.transfer.v1.MsgTransfer', '']] as const;
  const classified = classifyBlock(
    toBlock({
      title: '',
      recording: '',
      height,
      time: '2024-12-11T00:00:00Z',
      transaction: { index: 0, hash, code: 0, memo: '', messages },
      events,
      rows: [],
    }),
    chain,
  );
  const sender = 'cosmos12wvpkpdp5dc2mz8teerqg0aq75f93w2dpumvs9';
  assert.deepEqual(rowsOf(classified), [
    [sender, 'fee', '-2000uatom'],
    [sender, 'ibc_out', '-1uatom'],
    ['cosmos1j7936y5vdvh6c55v07tt05hdmhuz5xu708rpac', 'transfer_in', '+1377uatom'],
  ]);
  const [, out] = classified.events;
  assert.deepEqual([out!.link, out!.to_own_key], ['ibc-transfer/channel-141/4135421', true]);
});

describe('coins from Ethereum for the Skip adapter', () => {
  const { sequence, source_client, client, sender, receiver, trace, amount } = textsOf('eureka_receive');
  const denom = `ibc/${createHash('sha256').update(trace!).digest('hex').toUpperCase()}`;
  const arrived = [
    told('recv_packet', {
      packet_source_client: source_client!,
      packet_dest_client: client!,
      packet_sequence: sequence!,
    }),
    event('coin_received', { receiver: chain.module('transfer'), amount: `${amount}${denom}` }, of(0)),
    event('coinbase', { minter: chain.module('transfer'), amount: `${amount}${denom}` }, of(0)),
    ...send(chain.module('transfer'), receiver!, `${amount}${denom}`, of(0)),
    told('fungible_token_packet', { sender: sender!, receiver: receiver!, amount: amount!, success: 'true' }),
  ];
  const messages: [string, unknown][] = [['/ibc.core.channel.v2.MsgRecvPacket', {}]];

  test('are a known token, and the adapter’s as long as it keeps them', () => {
    assert.equal(reference.assets.find((asset) => asset.denom === denom)?.symbol, 'NEIRO');
    assert.deepEqual(rowsOf(classify(messages, arrived)), [[receiver, 'ibc_in', `+${amount}${denom}`]]);
  });

  test('are the ibc_in of the user whom it pays', () => {
    const call = told('execute', { _contract_address: receiver! });
    const paid = send(receiver!, alice, `${amount}${denom}`, of(0));
    assert.deepEqual(
      rowsOf(classify(messages, [...arrived, call, ...paid])).filter(([address]) => address === alice),
      [[alice, 'ibc_in', `+${amount}${denom}`]],
    );
  });
});

test('what a failed callback took back is not booked', () => {
  const { denom, amount } = textsOf('failed_callback');
  const events = [
    told('recv_packet', { packet_source_client: 'x', packet_dest_client: '08-wasm-1369', packet_sequence: '1' }),
    told('ibccallbackerror-fungible_token_packet', {
      'ibccallbackerror-success': 'true',
      'ibccallbackerror-denom': denom!,
      'ibccallbackerror-amount': amount!,
    }),
  ];
  assert.deepEqual(rowsOf(classify([['/ibc.core.channel.v2.MsgRecvPacket', {}]], events)), []);
});

test('dust with a call to claim is a flagged transfer_in', () => {
  const { hash, sender, receiver, amount, memo } = textsOf('dust');
  const sent = { ...transaction([message('/cosmos.bank.v1beta1.MsgSend')], send(sender!, receiver!, amount!, of(0))) };
  const { events } = classifyBlock(block([], [{ ...sent, hash: hash!, memo: memo! }]), chain);
  const received = events.find(({ address }) => address === receiver)!;
  assert.deepEqual([received.category, received.received_amount, received.unsolicited], ['transfer_in', 60n, true]);
  const flag = new ReceiptFlags(reference, [], { before: [], packets: [] }).flag({
    record_id: received.id,
    address: received.address,
    height: received.height,
    position: received.position,
    time: received.time,
    tx_hash: received.tx_hash,
    denom: 'uatom',
    quantity: 60n,
    sender: received.counterparty,
    memo: received.memo,
    category: received.category,
    registered: true,
    dust: true,
    receivers: 1,
  });
  assert.equal(flag?.reason, 'suspected_spam');
});

test('an NFT sold over a marketplace that nobody knows: coins into a contract, and out of it', () => {
  const market = account('market');
  const events = [
    ...send(alice, market, '9uatom', of(0)),
    told('execute', { _contract_address: market }),
    told(textsOf('nft_sale').event!, { _contract_address: market, denom: 'uatom', price: '9', seller_recipient: bob }),
    ...send(market, bob, '9uatom', of(0)),
  ];
  const rows = rowsOf(classify([['/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice }]], events));
  assert.deepEqual(
    rows.filter(([address]) => address !== market),
    [
      [alice, 'contract_deposit', '-9uatom'],
      [bob, 'contract_withdrawal', '+9uatom'],
    ],
  );
});

test('an NFT over a bridge moves no coins', () => {
  const events = ['send_nft', 'bridge'].map((action) => told('wasm', { _contract_address: account('nft'), action }));
  const { events: rows, unclassified } = classify(
    [['/cosmwasm.wasm.v1.MsgExecuteContract', { sender: alice }]],
    events,
  );
  assert.deepEqual([rows, [...unclassified]], [[], []]);
});

test('reward and commission of an operator with another withdraw address: income there, coins here', () => {
  const { delegator, withdraw_address: elsewhere, validator, reward, commission } = textsOf('redirected');
  const events = [
    ...send(distribution, elsewhere!, reward!, of(0)),
    event('withdraw_rewards', { amount: reward!, validator: validator!, delegator: delegator! }, of(0)),
    ...send(distribution, elsewhere!, commission!, of(1)),
    event('withdraw_commission', { amount: commission! }, of(1)),
  ];
  const classified = classify(
    [
      ['/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', { delegatorAddress: delegator }],
      ['/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission', { validatorAddress: validator }],
    ],
    events,
  );
  assert.deepEqual(rowsOf(classified), [
    [delegator, 'staking_reward', `+${reward}`],
    [delegator, 'reward_redirected', `-${reward}`],
    [elsewhere, 'redirected_reward_in', `+${reward}`],
    [delegator, 'validator_commission', `+${commission}`],
    [delegator, 'reward_redirected', `-${commission}`],
    [elsewhere, 'redirected_reward_in', `+${commission}`],
  ]);
});

test('STARS that are minted for a holder have moved here: no income', () => {
  const { coins, minter, receiver } = textsOf('moved_coins');
  const events = [
    ...send(chain.module('tokenfactory'), receiver!, coins!, of(0)),
    told('tf_mint', { mint_to_address: receiver!, amount: coins! }),
  ];
  assert.deepEqual(rowsOf(classify([['/osmosis.tokenfactory.v1beta1.MsgMint', { sender: minter }]], events)), [
    [receiver, 'ibc_in', `+${coins}`],
  ]);
});

test('the reward of a share record is its owner’s, once', () => {
  const { owner, record, record_account: account59712, escrowed, reward, tip } = facts.record_reward;
  const module = createHash('sha256').update('module').digest();
  const bytes = createHash('sha256').update(module).update(`lsm\0tokenizeshare_${record}`).digest();
  assert.equal(bech32.encode('cosmos', bech32.toWords(bytes), false), account59712);
  const events = [
    ...send(owner!, collector, escrowed!),
    ...send(distribution, account59712!, reward!, of(0)),
    told('withdraw_rewards', { amount: reward!, validator: chain.operatorOf(bob), delegator: account59712! }),
    ...send(account59712!, owner!, reward!, of(0)),
    told('withdraw_tokenize_share_reward', { withdraw_address: owner!, amount: reward! }),
    ...send(collector, proposer, tip!),
  ];
  const rows = rowsOf(classify([['/gaia.liquid.v1beta1.MsgWithdrawAllTokenizeShareRecordReward', {}]], events));
  assert.deepEqual(
    rows.filter(([address]) => address === owner),
    [
      [owner, 'fee', `-${escrowed}`],
      [owner, 'liquid_stake_reward', `+${reward}`],
    ],
  );
});

test('a send of the testnet: the whole fee leaves, the tip comes out of it', () => {
  const { escrowed, sent, tip } = textsOf('plain_send');
  const events = [
    ...send(alice, collector, escrowed!),
    ...send(alice, bob, sent!, of(0)),
    ...send(collector, proposer, tip!),
  ];
  assert.deepEqual(rowsOf(classify([['/cosmos.bank.v1beta1.MsgSend', {}]], events)), [
    [alice, 'fee', `-${escrowed}`],
    [alice, 'transfer_out', `-${sent}`],
    [bob, 'transfer_in', `+${sent}`],
    [proposer, 'transfer_in', `+${tip}`],
  ]);
});

test('every voucher of a claim of twelve and of the native coin is known', () => {
  const known = new Set(reference.assets.map(({ denom }) => denom));
  assert.equal(facts.old_claim.denoms.length, 12);
  assert.deepEqual(
    facts.old_claim.denoms.filter((denom) => !known.has(denom)),
    [],
  );
});
