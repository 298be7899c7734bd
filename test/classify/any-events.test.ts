/**
 * Whatever modules do in whatever order, with events lost on the way, rows of every wallet are what the bank moved: `classifyBlock`
 * itself refuses a block where they are not, so a classifier that explains too much or too little of anything fails here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ChainEventRecord } from '../../pipeline/chain/block.js';
import { chainFacts } from '../../pipeline/classify/chain-facts.js';
import { classifyBlock } from '../../pipeline/classify/classify-blocks.js';
import { messageClassifiers } from '../../pipeline/classify/modules/index.js';
import { loadReference } from '../../pipeline/reference.js';
import { account, block, chain, event, message, send, transaction } from './events.js';

const operator = chain.operatorOf(account('operator'));
const share = `${operator}/3`;
const pool = chain.module('not_bonded_tokens_pool');
const tokenfactory = chain.module('tokenfactory');

/** Few accounts, coins and packets, so that different acts are easily taken for each other. */
const anyWallet = fc.constantFrom(...['alice', 'bob', 'operator', 'contract'].map((name) => account(name)));
const anyAccount = fc.oneof(
  { weight: 4, arbitrary: anyWallet },
  fc.constantFrom(...['distribution', 'transfer', 'gov', 'bonded_tokens_pool'].map((name) => chain.module(name))),
);
const anyDenom = fc.constantFrom('uatom', 'uatom', 'ibc/A', share, `factory/${account('contract')}/x`);
/** The second channel's escrow is none that the chain's file states. */
const anyChannel = fc.constantFrom('channel-1', 'channel-999999');
const anyUse = fc.record({
  one: anyWallet,
  two: anyWallet,
  any: anyAccount,
  other: anyAccount,
  amount: fc.integer({ min: 1, max: 3 }).map(String),
  denom: anyDenom,
  channel: anyChannel,
});

type Use = typeof anyUse extends fc.Arbitrary<infer T> ? T : never;
type Act = (use: Use) => ChainEventRecord[];

const packet = (type: string, channel: string) => {
  const end = type === 'recv_packet' ? 'dst' : 'src';
  return event(type, { [`packet_${end}_port`]: 'transfer', [`packet_${end}_channel`]: channel, packet_sequence: '1' });
};
const bridge = ({ channel, denom }: Use) =>
  denom === 'ibc/A' ? chain.module('transfer') : chain.escrow('transfer', channel);
const pays =
  (from: string): Act =>
  ({ two, amount, denom }) =>
    send(from, two, `${amount}${denom}`);

const acts: readonly Act[] = [
  ({ any, other, amount, denom }) => send(any, other, `${amount}${denom}`),
  ({ one, two, amount }) => send(one, two, `${amount}uatom,${amount}ibc/A`),
  ({ any, amount, denom }) => [event('coin_received', { receiver: any, amount: `${amount}${denom}` })],
  ({ any, amount, denom }) => [event('coin_spent', { spender: any, amount: `${amount}${denom}` })],
  pays(chain.module('gov')),
  pays(chain.module('distribution')),
  ({ one }) => [event('execute', { _contract_address: one })],
  ({ one, two, amount, denom }) => [
    ...send(two, one, `${amount}${denom}`),
    event('execute', { _contract_address: one }),
    ...send(one, two, `${amount}uatom`),
  ],
  () => [event('ics27_packet', {})],
  () => [event('active_proposal', { proposal_id: '1', proposal_result: 'proposal_passed' })],
  ({ one, two, amount }) => [
    ...send(chain.module('distribution'), two, `${amount}uatom`),
    event('withdraw_rewards', { amount: `${amount}uatom`, delegator: one, validator: operator }),
  ],
  ({ two, amount }) => [
    ...send(chain.module('distribution'), two, `${amount}uatom`),
    event('withdraw_commission', { amount: `${amount}uatom` }),
  ],
  ({ one, amount }) => [
    ...send(one, chain.module('bonded_tokens_pool'), `${amount}uatom`),
    event('delegate', { amount: `${amount}uatom`, delegator: one, validator: operator }),
  ],
  ({ one, amount }) => [event('unbond', { amount: `${amount}uatom`, delegator: one, validator: operator })],
  ({ one, amount }) => [
    ...send(pool, one, `${amount}uatom`),
    event('complete_unbonding', { amount: `${amount}uatom`, delegator: one, validator: operator }),
  ],
  ({ one, amount }) => [
    ...send(one, chain.module('gov'), `${amount}uatom`),
    event('proposal_deposit', { amount: `${amount}uatom`, proposal_id: '1' }),
  ],
  (use) => [
    ...send(use.one, bridge(use), `${use.amount}${use.denom}`),
    packet('send_packet', use.channel),
    event('ibc_transfer', { sender: use.one, receiver: use.two, amount: use.amount }),
  ],
  (use) => [
    packet('recv_packet', use.channel),
    ...send(bridge(use), use.one, `${use.amount}${use.denom}`),
    event('fungible_token_packet', { sender: use.two, receiver: use.one, success: 'true' }),
  ],
  (use) => [
    packet('timeout_packet', use.channel),
    ...send(bridge(use), use.one, `${use.amount}${use.denom}`),
    event('timeout', { receiver: use.one }),
  ],
  ({ one, amount }) => [
    ...send(pool, one, `${amount}uatom`),
    ...send(chain.module('mint'), one, `${amount}${share}`),
    ...send(one, account('share record'), `${amount}uatom`),
    ...send(account('share record'), pool, `${amount}uatom`),
    event('tokenize_shares', { delegator: one, validator: operator, tokenized_shares: `${amount}${share}` }),
  ],
  ({ one, amount }) => [
    ...send(one, pool, `${amount}${share}`),
    ...send(pool, one, `${amount}uatom`),
    ...send(one, pool, `${amount}uatom`),
    event('redeem_shares', { delegator: one, validator: operator, amount: `${amount}${share}` }),
  ],
  ({ one, two, amount }) => [
    event('withdraw_rewards', { amount: '0stake', delegator: one, validator: operator }),
    ...send(one, two, `${amount}uatom`),
    event('withdraw_tokenize_share_reward', { withdraw_address: two, amount: `${amount}uatom` }),
  ],
  ({ two, amount, denom }) => [
    ...send(tokenfactory, two, `${amount}${denom}`),
    event('tf_mint', { mint_to_address: two, amount: `${amount}${denom}` }),
  ],
  ({ one, amount, denom }) => [
    ...send(one, tokenfactory, `${amount}${denom}`),
    event('tf_burn', { burn_from_address: one, amount: `${amount}${denom}` }),
  ],
  ({ one, amount }) => [
    ...send(one, chain.module('distribution'), `${amount}uatom`),
    event('create_denom', { creator: one, new_token_denom: `factory/${one}/y` }),
  ],
];

/** A few acts, one event in eight lost. */
const anyEvents = fc
  .array(fc.tuple(fc.constantFrom(...acts), anyUse, fc.array(fc.nat({ max: 7 }), { minLength: 9, maxLength: 9 })), {
    maxLength: 8,
  })
  .map((parts) => parts.flatMap(([act, use, losses]) => act(use).filter((_, i) => losses[i] !== 0)));

const inMessage = ({ type, attributes }: ChainEventRecord): ChainEventRecord => ({
  type,
  attributes: [...attributes, { key: 'msg_index', value: '0' }],
});

const value = { sender: account('alice'), validatorAddress: operator, delegatorAddress: account('bob') };
const anyMessage = fc.constantFrom(
  ...messageClassifiers.flatMap(({ typeUrl }) => [
    message(typeUrl, value),
    { ...message(typeUrl), value: undefined, fault: 'not of its type' },
  ]),
);

/** The chain as it is, and with two of the accounts among the known routers. */
const { chain: hub, contracts, categories: known } = loadReference();
const router = (name: string) => ({ address: account(name), protocol: 'Test', name, kind: 'router', source: 'test' });
const routed = chainFacts(hub, { ...contracts, contracts: [router('contract'), router('bob')] });
const anyChain = fc.constantFrom('usual', 'routed');

test('rows of any events are what the bank moved, under names that exist', () => {
  const categories = new Set(known.map(({ category }) => category));
  const property = fc.property(anyMessage, anyEvents, anyEvents, anyChain, (of, events, ofBlock, kind) => {
    const facts = kind === 'usual' ? chain : routed;
    const classified = classifyBlock(block(ofBlock, [transaction([of], events.map(inMessage))]), facts);
    const ids = new Set(classified.events.map(({ id }) => id));
    assert.equal(ids.size, classified.events.length);
    for (const row of classified.events) {
      assert.ok(categories.has(row.category));
      assert.ok(chain.isWallet(row.address));
      for (const amount of [row.sent_amount, row.received_amount, row.fee_amount]) {
        assert.ok(amount === null || amount > 0n);
      }
    }
  });
  fc.assert(property, { numRuns: 3000, seed: 20_260_101 });
});
