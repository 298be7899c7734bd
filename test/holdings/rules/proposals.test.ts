/** Parameters change only when a proposal passes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgExec } from 'cosmjs-types/cosmos/authz/v1beta1/tx';
import { MsgSubmitProposal } from 'cosmjs-types/cosmos/gov/v1/tx';
import { MsgUpdateParams as SlashingUpdate } from 'cosmjs-types/cosmos/slashing/v1beta1/tx';
import { MsgUpdateParams as StakingUpdate } from 'cosmjs-types/cosmos/staking/v1beta1/tx';
import { CosmosTx } from 'cosmjs-types/ibc/applications/interchain_accounts/v1/packet';
import { MsgRecvPacket } from 'cosmjs-types/ibc/core/channel/v1/tx';
import { foldBlock } from '../../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../../pipeline/holdings/holdings-error.js';
import { block, event, message, openSmallChain, validatorsOf } from '../small-chain.js';

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
/** Protobuf bytes of the provider's MsgUpdateParams: an authority, and fields 11 and 12 of its params. */
const providerUpdate = Uint8Array.from([0x0a, 0x01, 0x61, 0x12, 0x05, 0x58, 0x18, 0x60, 0xb4, 0x01]);

const messages = [
  { typeUrl: StakingUpdate.typeUrl, value: StakingUpdate.encode(staking).finish() },
  { typeUrl: SlashingUpdate.typeUrl, value: SlashingUpdate.encode(slashing).finish() },
  { typeUrl: '/interchain_security.ccv.provider.v1.MsgUpdateParams', value: providerUpdate },
];

const submitted = (...events: Readonly<Record<string, string>>[]) =>
  events.map((pairs) => event('submit_proposal', { ...pairs, msg_index: '0' }));
const submit = block(1, {
  transaction: {
    messages: [message('/cosmos.gov.v1.MsgSubmitProposal', { messages })],
    events: submitted({ proposal_id: '7' }),
  },
});
const decide = (proposal_result: string) =>
  block(2, { end: [event('active_proposal', { proposal_id: '7', proposal_result })] });

const openChain = () => openSmallChain(validatorsOf(5n));

function parametersAfter(result: string, first = submit) {
  const state = openChain();
  foldBlock(state, first, () => {});
  foldBlock(state, decide(result), () => {});
  return state.parameters;
}

const changed = {
  unbondingTime: 1_209_600n * NANOSECONDS + 5n,
  maxValidators: 50,
  slashFractionDoubleSign: 10n ** 17n,
  slashFractionDowntime: 2n * 10n ** 14n,
  maxProviderConsensusValidators: 180,
};

test('a passed proposal changes the parameters that its messages name', () => {
  assert.deepEqual(parametersAfter('proposal_passed'), changed);
});

test('so do those that governance runs by MsgExec', () => {
  const exec = (msgs: typeof messages) => ({
    typeUrl: MsgExec.typeUrl,
    value: MsgExec.encode({ grantee: '', msgs }).finish(),
  });
  const nested = [message(MsgSubmitProposal.typeUrl, { messages: [exec([exec(messages)])] })];
  const events = submitted({ proposal_id: '7' });
  assert.deepEqual(
    parametersAfter('proposal_passed', block(1, { transaction: { messages: nested, events } })),
    changed,
  );
});

test('and those that an interchain account submits, among others', () => {
  const proposal = (...ofIt: typeof messages) => ({
    typeUrl: MsgSubmitProposal.typeUrl,
    value: MsgSubmitProposal.encode(MsgSubmitProposal.fromPartial({ messages: ofIt })).finish(),
  });
  const [one] = messages;
  const tx = CosmosTx.encode({ messages: [proposal(), proposal(one!), proposal(...messages)] }).finish();
  const json = { type: 'TYPE_EXECUTE_TX', data: Buffer.from(tx).toString('base64'), memo: '' };
  const packet = { destinationPort: 'icahost', data: text(JSON.stringify(json)) };
  const types = messages.map(({ typeUrl }) => `,${typeUrl}`);
  const events = submitted(
    { proposal_id: '5', proposal_messages: ',/cosmos.gov.v1.MsgExecLegacyContent' },
    { proposal_id: '6', proposal_messages: types[0]! },
    { voting_period_start: '6' },
    { proposal_id: '7', proposal_messages: types.join('') },
  );
  const relayed = [message(MsgRecvPacket.typeUrl, MsgRecvPacket.fromPartial({ packet }))];
  assert.deepEqual(
    parametersAfter('proposal_passed', block(1, { transaction: { messages: relayed, events } })),
    changed,
  );
});

test('a proposal that was rejected or failed in execution changes nothing', () => {
  for (const result of ['proposal_rejected', 'proposal_failed']) {
    const parameters = parametersAfter(result);
    assert.deepEqual([parameters.unbondingTime, parameters.maxValidators], [1_814_400n * NANOSECONDS, 100]);
  }
});

test('a proposal is forgotten when it is over, however it ended', () => {
  const over = { proposal_id: '7' };
  const cancelled = {
    messages: [message('/cosmos.gov.v1.MsgCancelProposal', {})],
    events: [event('cancel_proposal', over)],
  };
  const ends = [
    decide('proposal_passed'),
    decide('proposal_rejected'),
    block(2, { end: [event('inactive_proposal', { ...over, proposal_result: 'proposal_dropped' })] }),
    block(2, { transaction: cancelled }),
  ];
  for (const end of ends) {
    const state = openChain();
    foldBlock(state, submit, () => {});
    assert.deepEqual([...state.proposals.keys()], ['7']);
    foldBlock(state, end, () => {});
    assert.equal(state.proposals.size, 0);
  }
});

const NOT_OF_ITS_FORM = [
  { typeUrl: StakingUpdate.typeUrl, value: Uint8Array.of(18, 200) },
  ...['5_', '-5', ''].map((fraction) => {
    const params = { ...slashing.params, slashFractionDowntime: text(fraction) };
    return { typeUrl: SlashingUpdate.typeUrl, value: SlashingUpdate.encode({ ...slashing, params }).finish() };
  }),
];

for (const [i, broken] of NOT_OF_ITS_FORM.entries()) {
  const unreadable = block(1, {
    transaction: {
      messages: [message(MsgSubmitProposal.typeUrl, { messages: [messages[0], broken] })],
      events: submitted({ proposal_id: '7' }),
    },
  });
  const name = `${i + 1} of ${NOT_OF_ITS_FORM.length}`;

  test(`a proposal whose change cannot be read stops the fold when it passes: ${name}`, () => {
    assert.throws(
      () => parametersAfter('proposal_passed', unreadable),
      (error) => error instanceof HoldingsError && error.height === 2 && error.reason.includes(broken.typeUrl),
    );
  });

  test(`and nothing where it does not: ${name}`, () => {
    assert.equal(parametersAfter('proposal_failed', unreadable).maxValidators, 100);
  });
}

test('a fraction is read as the chain reads it', () => {
  const params = { ...slashing.params, slashFractionDowntime: text('200_000_000_000_000') };
  const value = SlashingUpdate.encode({ ...slashing, params }).finish();
  const submission = message(MsgSubmitProposal.typeUrl, { messages: [{ typeUrl: SlashingUpdate.typeUrl, value }] });
  const first = block(1, { transaction: { messages: [submission], events: submitted({ proposal_id: '7' }) } });
  assert.equal(parametersAfter('proposal_passed', first).slashFractionDowntime, changed.slashFractionDowntime);
});

test('an open proposal of an export may ask for what the chain will refuse', () => {
  const params = { unbonding_time: '-5s', max_validators: 1 };
  const proposal = {
    id: '7',
    status: 'PROPOSAL_STATUS_DEPOSIT_PERIOD',
    messages: [{ '@type': StakingUpdate.typeUrl, params }],
  };
  const state = openSmallChain(validatorsOf(5n), { proposals: [proposal] });
  foldBlock(state, block(1, {}), () => {});
  assert.equal(state.parameters.maxValidators, 100);
  const passes = event('active_proposal', { proposal_id: '7', proposal_result: 'proposal_passed' });
  assert.throws(() => foldBlock(state, block(2, { end: [passes] }), () => {}), /unbonding_time is "-5s"/);
});
