/** Upgrades run at the height that the chain has decided on, and change what reviewed data says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import { MsgIBCSoftwareUpgrade } from 'cosmjs-types/ibc/core/client/v1/tx';
import { deserializeState, serializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { moduleAccount } from '../../pipeline/holdings/modules/addresses.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { BONDED, type HoldingsState, UNBONDING } from '../../pipeline/holdings/state.js';
import { unknownUpgrade } from '../../pipeline/holdings/upgrades.js';
import { loadReference } from '../../pipeline/reference.js';
import type { Upgrade } from '../../schemas/types.generated.js';
import {
  ATOM,
  account,
  block,
  event,
  message,
  openSmallChain,
  poolEvents,
  type SmallParameters,
  validatorsOf,
} from './small-chain.js';

const { upgrades } = loadReference();
const validators = validatorsOf(5n, 7n, 3n, 2n);
const open = (parameters: SmallParameters = {}) =>
  openSmallChain(validators, { maxValidators: 4, providerLimit: 2, ...parameters });

const plan = (name: string, height: number): Any => {
  const upgrade = MsgSoftwareUpgrade.fromPartial({ plan: { name, height: BigInt(height) } });
  return { typeUrl: MsgSoftwareUpgrade.typeUrl, value: MsgSoftwareUpgrade.encode(upgrade).finish() };
};
const cancel: Any = { typeUrl: MsgCancelUpgrade.typeUrl, value: new Uint8Array() };

const submit = (height: number, id: string, ...messages: Any[]) =>
  block(height, {
    transaction: {
      messages: [message('/cosmos.gov.v1.MsgSubmitProposal', { messages })],
      events: [event('submit_proposal', { proposal_id: id, msg_index: '0' })],
    },
  });
const decide = (height: number, proposal_id: string, result = 'proposal_passed') =>
  block(height, { end: [event('active_proposal', { proposal_id, proposal_result: result })] });

const transfer = (from: string, to: string) =>
  event('transfer', { sender: moduleAccount(from, 'cosmos', sha256), recipient: moduleAccount(to, 'cosmos', sha256) });

/** The handler of v28 with its coins: the two weakest validators leave the bonded pool. */
const v28 = (height: number) =>
  block(height, {
    upgrade: [
      ...poolEvents(-5n * ATOM, 5n * ATOM),
      transfer('bonded_tokens_pool', 'not_bonded_tokens_pool'),
      transfer('consumer_rewards_pool', 'distribution'),
    ],
  });

const fold = (state: HoldingsState, blocks: readonly ReturnType<typeof block>[], known = upgrades) => {
  for (const one of blocks) foldBlock(state, one, () => {}, { upgrades: known });
};

test('v28 runs at the height of the passed proposal: fewer validators are bonded, and the provider is gone', () => {
  const state = open();
  fold(state, [submit(1, '7', plan('v28.0.0', 4)), decide(2, '7'), block(3, {})]);
  assert.deepEqual(state.upgradePlan, { name: 'v28.0.0', height: 4 });
  fold(state, [v28(4), block(5, {})]);
  const { maxValidators, maxProviderConsensusValidators, unbondingTime } = state.parameters;
  assert.deepEqual([maxValidators, maxProviderConsensusValidators, state.upgradePlan], [2, 0, null]);
  const [first, second, third, fourth] = [...state.validators.values()];
  assert.deepEqual([first!.status, second!.status], [BONDED, BONDED]);
  for (const left of [third!, fourth!]) {
    assert.deepEqual([left.status, left.unbondingHeight, left.power], [UNBONDING, 4, 0]);
    assert.equal(left.unbondingTime, BigInt(Date.UTC(2026, 0, 1, 4)) * 1_000_000n + unbondingTime);
  }
});

test('a plan that goes through the light clients of other chains is the same plan', () => {
  const upgrade = MsgIBCSoftwareUpgrade.fromPartial({ plan: { name: 'v28.0.0', height: 4n } });
  const { typeUrl } = MsgIBCSoftwareUpgrade;
  const state = open();
  fold(state, [submit(1, '7', { typeUrl, value: MsgIBCSoftwareUpgrade.encode(upgrade).finish() }), decide(2, '7')]);
  assert.deepEqual(state.upgradePlan, { name: 'v28.0.0', height: 4 });
  const exported = { ...exportedPlan('v28.0.0', 4), '@type': typeUrl };
  assert.deepEqual(open({ proposals: [voted('8', 2, exported)] }).upgradePlan, { name: 'v28.0.0', height: 4 });
});

test('v28 leaves max_validators alone where the provider had more room', () => {
  const state = open({ providerLimit: 9 });
  fold(state, [submit(1, '7', plan('v28.0.0', 3)), decide(2, '7'), block(3, {})]);
  assert.deepEqual([state.parameters.maxValidators, state.parameters.maxProviderConsensusValidators], [4, 0]);
});

const voted = (id: string, minute: number, message: object) => ({
  id,
  status: 'PROPOSAL_STATUS_PASSED',
  voting_end_time: `2025-12-01T00:0${minute}:00Z`,
  messages: [message],
});
const exportedPlan = (name: string, height: number) => ({
  '@type': MsgSoftwareUpgrade.typeUrl,
  plan: { name, height: String(height) },
});

test("an export's plan is that of the proposal that passed last, unless it was carried out or cancelled", () => {
  const early = voted('9', 1, exportedPlan('v27.6.0', 5));
  const late = voted('8', 2, exportedPlan('v28.0.0', 6));
  assert.deepEqual(open({ proposals: [late, early] }).upgradePlan, { name: 'v28.0.0', height: 6 });
  assert.equal(open({ proposals: [voted('8', 2, exportedPlan('v28.0.0', 0))] }).upgradePlan, null);
  const cancel = { '@type': MsgCancelUpgrade.typeUrl };
  assert.equal(open({ proposals: [late, voted('10', 3, cancel)] }).upgradePlan, null);
  const run = { '@type': '/cosmos.authz.v1beta1.MsgExec', grantee: '', msgs: [cancel] };
  assert.equal(open({ proposals: [late, voted('10', 3, run)] }).upgradePlan, null);
  assert.equal(open({ proposals: [{ ...late, status: 'PROPOSAL_STATUS_FAILED' }] }).upgradePlan, null);
});

test("a proposal that is open in the export plans its upgrade when it passes; the plan outlives the fold's checkpoint", () => {
  const proposals = [{ ...voted('8', 2, exportedPlan('v28.0.0', 6)), status: 'PROPOSAL_STATUS_VOTING_PERIOD' }];
  const state = open({ proposals });
  assert.equal(state.upgradePlan, null);
  fold(state, [decide(1, '8')]);
  const resumed = deserializeState([...serializeState(state)], sha256);
  assert.deepEqual(resumed.upgradePlan, { name: 'v28.0.0', height: 6 });
});

test('an upgrade does not run when its proposal failed or was cancelled, or another plan replaced it', () => {
  const planned = [submit(1, '7', plan('v28.0.0', 6)), submit(2, '8', cancel), submit(3, '9', plan('v99', 6))];
  for (const [decisions, expected] of [
    [[decide(4, '7', 'proposal_failed'), block(5, {})], null],
    [[decide(4, '7', 'proposal_rejected'), block(5, {})], null],
    [[decide(4, '7'), decide(5, '8')], null],
    [[decide(4, '7'), decide(5, '9')], { name: 'v99', height: 6 }],
    [[decide(4, '7', 'expedited_proposal_rejected'), decide(5, '7')], { name: 'v28.0.0', height: 6 }],
  ] as const) {
    const state = open();
    fold(state, [...planned, ...decisions]);
    assert.deepEqual(state.upgradePlan, expected);
    if (expected?.name === 'v28.0.0') continue;
    fold(state, [block(6, {})]);
    assert.equal(state.parameters.maxValidators, 4);
  }
});

test('an upgrade that nobody reviewed is named before its height, and in the error when it changed something', () => {
  const state = open();
  const unreviewed = upgrades.filter(({ name }) => name !== 'v28.0.0');
  fold(state, [submit(1, '7', plan('v28.0.0', 3)), decide(2, '7')], unreviewed);
  assert.deepEqual(unknownUpgrade(state, unreviewed), { name: 'v28.0.0', height: 3 });
  assert.equal(unknownUpgrade(state, upgrades), undefined);
  assert.throws(
    () => fold(state, [v28(3)], unreviewed),
    (error) =>
      error instanceof HoldingsError &&
      error.height === 3 &&
      error.circumstances.upgrade?.name === 'v28.0.0' &&
      /bonded pool: the chain says 12000000, the fold 17000000; upgrade plan v28.0.0 at 3$/.test(error.message),
  );
});

test('coins that a handler moves and its entry does not name are refused', () => {
  const moved = block(3, { upgrade: [transfer('mint', 'distribution')] });
  const state = open();
  fold(state, [submit(1, '7', plan('v27.6.0', 3)), decide(2, '7')]);
  assert.throws(() => fold(state, [moved]), /block 3, PreBlock: coins that the upgrade moves/);
});

test('coins that a handler moves between wallets do not concern the fold; those of a module are named by address', () => {
  const [alice, bob] = [account(1), account(2)];
  const pay = (sender: string, recipient: string) => event('transfer', { sender, recipient });
  const distribution = moduleAccount('distribution', 'cosmos', sha256);
  const moved = (to: string) => block(3, { upgrade: [pay(alice, bob), pay(distribution, to)] });
  const known: Upgrade = {
    ...{ name: 'v9', source: { repository: 'a/b', file: 'c' }, summary: '' },
    changes: [{ kind: 'move_coins', from: 'distribution', to: alice }],
  };
  const planned = () => {
    const state = open();
    fold(state, [submit(1, '7', plan('v9', 3)), decide(2, '7')]);
    return state;
  };
  fold(planned(), [moved(alice)], [known]);
  assert.throws(() => fold(planned(), [moved(bob)], [known]), /PreBlock: coins that the upgrade moves/);
});

test('a handler may set any parameter of the fold, as the chain writes it', () => {
  const changes = [
    ['unbonding_time', '1209600s'],
    ['max_validators', '3'],
    ['slash_fraction_downtime', '0.000100000000000000'],
    ['slash_fraction_double_sign', '0.100000000000000000'],
    ['max_provider_consensus_validators', '1'],
  ].map(([parameter, value]) => ({ kind: 'set_parameter', parameter, value }) as Upgrade['changes'][number]);
  const source = { repository: 'cosmos/gaia', tag: 'v99', file: 'upgrades.go' };
  const state = openSmallChain(validators.slice(0, 1), { providerLimit: 2 });
  const known = [{ name: 'v99', source, summary: '', changes }];
  fold(state, [submit(1, '7', plan('v99', 3)), decide(2, '7'), block(3, {})], known);
  assert.deepEqual(state.parameters, {
    unbondingTime: 1_209_600_000_000_000n,
    maxValidators: 3,
    slashFractionDowntime: 10n ** 14n,
    slashFractionDoubleSign: 10n ** 17n,
    maxProviderConsensusValidators: 1,
  });
});
