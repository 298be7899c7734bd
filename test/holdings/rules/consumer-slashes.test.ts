/** Faults on consumer chains without a slash event: burned coins are the evidence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainEventRecord } from '../../../pipeline/chain/block.js';
import { foldBlock } from '../../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import { moduleAccount } from '../../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import type { HoldingsTables } from '../../../pipeline/holdings/state.js';
import {
  ATOM,
  account,
  block,
  consensus,
  event,
  message,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  validatorsOf,
} from '../small-chain.js';

const open = (...atoms: bigint[]) => openSmallChain(validatorsOf(...atoms), { providerLimit: 9 });

/** Bank events of a burn from the bonded pool. */
const burned = (amount: bigint): ChainEventRecord[] => [
  poolEvents(-amount, 0n)[0]!,
  event('burn', { burner: moduleAccount('bonded_tokens_pool', 'cosmos', sha256), amount: `${amount}uatom` }),
];

const jailing = event('execute_consumer_chain_slash', {
  validator_address: consensus(1),
  infraction_type: 'INFRACTION_DOWNTIME',
  infraction_height: '1',
});

const packet = (power: string) => {
  const data = { type: 'CONSUMER_PACKET_TYPE_SLASH', slashPacketData: { validator: { power } } };
  return message('/ibc.core.channel.v1.MsgRecvPacket', {
    packet: { destinationPort: 'provider', data: new TextEncoder().encode(JSON.stringify(data)) },
  });
};

/** Folds a transaction; the first validator then leaves with its remaining tokens. */
function fold(events: readonly ChainEventRecord[], left: bigint, { atoms = [5n, 7n], power = '5' } = {}) {
  const state = open(...atoms);
  const losses: HoldingsTables['slash_losses'][] = [];
  const at = (one: ChainEventRecord) => ({ ...one, attributes: [...one.attributes, { key: 'msg_index', value: '0' }] });
  foldBlock(state, block(1, {}), () => {});
  foldBlock(
    state,
    block(2, {
      transaction: { messages: [packet(power)], events: events.map(at) },
      end: poolEvents(-left, left),
      validatorUpdates: [{ publicKey: publicKey(1), power: 0 }],
    }),
    (table, row) => table === 'slash_losses' && losses.push(row as HoldingsTables['slash_losses']),
  );
  return { first: state.validators.get(operator(1))!, losses };
}

const failsWith = (what: string | RegExp) => (error: unknown) =>
  error instanceof HoldingsError &&
  (typeof what === 'string' ? error.difference.what === what : what.test(error.message));

test('downtime on a consumer chain jails; nothing burns by its usual fraction', () => {
  const { first, losses } = fold([jailing], 5n * ATOM);
  assert.deepEqual([first.jailed, first.tokens, first.slashes.length, losses.length], [true, 5n * ATOM, 0, 0]);
});

test('where something burns, the fraction is the shortest that burns as much; the loss is of its transaction', () => {
  const { first, losses } = fold([...burned(500n), jailing], 5n * ATOM - 500n);
  assert.equal(first.slashes[0]!.fraction, 10n ** 14n); // 0.0001
  const [{ delegator, delegated, place, tx_hash, event: index, reason }] = losses as [(typeof losses)[0]];
  assert.deepEqual([delegator, delegated, place, tx_hash], [account(1), 500n, 0, 'HASH2']);
  assert.deepEqual([index, reason], [2, 'consumer_missing_signature']);
});

test('without a packet that tells the voting power the cause is named', () => {
  const slash = () => fold([...burned(500n), jailing], 5n * ATOM - 500n, { power: 'none' });
  assert.throws(slash, failsWith('slash for downtime on a consumer chain'));
});

const DOUBLE = event('submit_consumer_double_voting', { consumer_id: '1' });

test('a double sign on a consumer chain is of the validator of whom as much would burn', () => {
  const { first, losses } = fold([...burned(ATOM / 4n), DOUBLE], 5n * ATOM - ATOM / 4n);
  assert.deepEqual([first.jailed, first.tokens], [true, 5n * ATOM - ATOM / 4n]);
  assert.equal(losses[0]!.reason, 'consumer_double_sign');
});

test('where several or none fit, the error names the message', () => {
  const twins = () => fold([...burned(ATOM / 4n), DOUBLE], 5n * ATOM - ATOM / 4n, { atoms: [5n, 5n] });
  assert.throws(twins, failsWith(/submit_consumer_double_voting: expected 250000 burned.*, found 2 validators/));
  assert.throws(() => fold([...burned(77n), DOUBLE], 5n * ATOM - 77n), failsWith(/found 0 validators/));
});

test('redeemed share tokens burn in a pool without any slash', () => {
  const burner = moduleAccount('not_bonded_tokens_pool', 'cosmos', sha256);
  const { first } = fold([event('burn', { burner, amount: `77${operator(1)}/59712` }), jailing], 5n * ATOM);
  assert.equal(first.tokens, 5n * ATOM);
});

test('a burn of the staking pools that no slash explains ends the fold', () => {
  assert.throws(() => fold(burned(77n), 5n * ATOM - 77n), failsWith('coins burned of the staking pools'));
});
