/** Parameters change when a proposal passes, and in no other way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { foldBlock } from '../../pipeline/holdings/fold-state.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { block, event, message, openSmallChain, validatorsOf } from './small-chain.js';

const NANOSECONDS = 1_000_000_000n;
const text = (value: string) => new TextEncoder().encode(value);

const staking = StakingUpdate.fromPartial({
  params: { unbondingTime: { seconds: 1_209_600n, nanos: 5 }, maxValidators: 50, bondDenom: 'uatom' },
});
const slashing = SlashingUpdate.fromPartial({
  params: {
    slashFractionDoubleSign: text('100000000000000000'),
    slashFractionDowntime: text('200000000000000'),
    minSignedPerWindow: text('50000000000000000'),
  },
});
/** Protobuf bytes of the provider's MsgUpdateParams: an authority, and of its params fields 11 and 12. */
const providerUpdate = Uint8Array.from([0x0a, 0x01, 0x61, 0x12, 0x05, 0x58, 0x18, 0x60, 0xb4, 0x01]);

const messages = [
  { typeUrl: StakingUpdate.typeUrl, value: StakingUpdate.encode(staking).finish() },
  { typeUrl: SlashingUpdate.typeUrl, value: SlashingUpdate.encode(slashing).finish() },
  { typeUrl: '/interchain_security.ccv.provider.v1.MsgUpdateParams', value: providerUpdate },
];

const submit = block(1, {
  transaction: {
    messages: [message('/cosmos.gov.v1.MsgSubmitProposal', { messages })],
    events: [event('submit_proposal', { proposal_id: '7', msg_index: '0' })],
  },
});
const decide = (proposal_result: string) =>
  block(2, { end: [event('active_proposal', { proposal_id: '7', proposal_result })] });

const openChain = () => openSmallChain(validatorsOf(5n));

function parametersAfter(result: string) {
  const state = openChain();
  foldBlock(state, submit, () => {});
  foldBlock(state, decide(result), () => {});
  return state.parameters;
}

test('a passed proposal changes the parameters that its messages name', () => {
  assert.deepEqual(parametersAfter('proposal_passed'), {
    unbondingTime: 1_209_600n * NANOSECONDS + 5n,
    maxValidators: 50,
    slashFractionDoubleSign: 10n ** 17n,
    slashFractionDowntime: 2n * 10n ** 14n,
    maxProviderConsensusValidators: 180,
  });
});

test('a proposal that was rejected or failed in execution changes nothing', () => {
  for (const result of ['proposal_rejected', 'proposal_failed']) {
    const parameters = parametersAfter(result);
    assert.deepEqual([parameters.unbondingTime, parameters.maxValidators], [1_814_400n * NANOSECONDS, 100]);
  }
});

test('a proposal whose change cannot be read stops the fold', () => {
  const broken = [{ typeUrl: StakingUpdate.typeUrl, value: Uint8Array.of(18, 200) }];
  const submitted = block(1, {
    transaction: {
      messages: [message('/cosmos.gov.v1.MsgSubmitProposal', { messages: broken })],
      events: [event('submit_proposal', { proposal_id: '7', msg_index: '0' })],
    },
  });
  assert.throws(
    () => foldBlock(openChain(), submitted, () => {}),
    (error) => error instanceof HoldingsError && error.difference.what.includes(StakingUpdate.typeUrl),
  );
});
