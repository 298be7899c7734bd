/** Corrections and upgrades: reviewed changes at the beginning of a block, without events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MsgCancelUpgrade, MsgSoftwareUpgrade } from 'cosmjs-types/cosmos/upgrade/v1beta1/tx';
import type { Any } from 'cosmjs-types/google/protobuf/any';
import { MsgIBCSoftwareUpgrade } from 'cosmjs-types/ibc/core/client/v1/tx';
import { deserializeState, serializeState } from '../../pipeline/holdings/checkpoint.js';
import { foldBlock } from '../../pipeline/holdings/fold-blocks.js';
import { HoldingsError } from '../../pipeline/holdings/holdings-error.js';
import { moduleAccount } from '../../pipeline/holdings/modules/validator.js';
import { sha256 } from '../../pipeline/holdings/start/load-starting-state.js';
import { BONDED, type HoldingsState, UNBONDING } from '../../pipeline/holdings/state.js';
import { unknownUpgrade } from '../../pipeline/holdings/state-changes.js';
import { loadReference } from '../../pipeline/reference.js';
import type { StateChange, Upgrade } from '../../schemas/types.generated.js';
import {
  ATOM,
  account,
  block,
  event,
  message,
  openSmallChain,
  operator,
  poolEvents,
  publicKey,
  type SmallParameters,
  validatorsOf,
} from './small-chain.js';

const open = () => openSmallChain(validatorsOf(5n, 3n));

/** Folds blocks 1 and 2, the second with a correction. @returns the rows of the second */
function correct(
  state: HoldingsState,
  what: StateChange[],
  second: Parameters<typeof block>[1] = {},
): { table: string; row: object }[] {
  const rows: { table: string; row: object }[] = [];
  const corrections = [{ height: 2, what, source: 'a node' }];
  const isOfBlock = (table: string) => table === 'block_nanos' || table === 'validator_rates';
  const before = (table: string) => void (isOfBlock(table) || assert.fail('a row of the block before'));
  foldBlock(state, block(1, {}), before, { corrections });
  foldBlock(state, block(2, second), (table, row) => void (isOfBlock(table) || rows.push({ table, row })), {
    corrections,
  });
  return rows;
}

const validatorIn = (state: HoldingsState, number: number) => state.validators.get(operator(number))!;

test('a jailed validator leaves the set in that block, and one that is unjailed comes back', () => {
  const state = open();
  const leaves = { validatorUpdates: [{ publicKey: publicKey(2), power: 0 }], end: poolEvents(-3n * ATOM, 3n * ATOM) };
  correct(state, [{ kind: 'jail_validators', validators: [operator(2)] }], leaves);
  assert.deepEqual([validatorIn(state, 2).jailed, validatorIn(state, 2).status], [true, UNBONDING]);
  const corrections = [
    { height: 3, what: [{ kind: 'unjail_validators' as const, validators: [operator(2)] }], source: 'a node' },
  ];
  const comes = { validatorUpdates: [{ publicKey: publicKey(2), power: 3 }], end: poolEvents(3n * ATOM, -3n * ATOM) };
  foldBlock(state, block(3, comes), () => {}, { corrections });
  assert.deepEqual([validatorIn(state, 2).jailed, validatorIn(state, 2).status], [false, BONDED]);
});

test('a slashed validator has less tokens for the same shares, and its delegators get rows', () => {
  const state = open();
  const burned = (3n * ATOM) / 20n;
  const rows = correct(state, [{ kind: 'slash_validator', validator: operator(2), fraction: '0.05' }], {
    validatorUpdates: [{ publicKey: publicKey(2), power: 2 }],
    end: poolEvents(-burned, 0n),
  });
  assert.equal(validatorIn(state, 2).tokens, 3n * ATOM - burned);
  assert.deepEqual(
    rows.map(({ table }) => table),
    ['validator_slashes', 'slash_losses'],
  );
  const [, loss] = rows;
  const { delegator, delegated, reason } = loss!.row as { delegator: string; delegated: bigint; reason: string };
  assert.deepEqual([delegator, delegated, reason], [account(2), burned, 'correction']);
});

test("a pool's balance is changed with a row, and the sums of the block are compared with it", () => {
  const state = open();
  const pool = moduleAccount('bonded_tokens_pool', 'cosmos', sha256);
  const change: StateChange = { kind: 'adjust_balance', account: pool, denom: 'uatom', amount: '7' };
  const rows = correct(state, [change], { end: poolEvents(-7n, 0n) });
  assert.deepEqual(rows, [
    { table: 'balance_corrections', row: { address: pool, denom: 'uatom', height: 2, amount: 7n } },
  ]);
  assert.throws(() => correct(open(), [change]), /bonded pool: expected 8000007, found 8000000/);
});

test("a wallet's balance is a row alone", () => {
  const change: StateChange = { kind: 'adjust_balance', account: account(9), denom: 'uatom', amount: '-1' };
  const rows = correct(open(), [change]);
  assert.deepEqual(rows, [
    { table: 'balance_corrections', row: { address: account(9), denom: 'uatom', height: 2, amount: -1n } },
  ]);
});

test('what contradicts the state is a difference that names the block', () => {
  const jailed = (validators: string[]) => [{ kind: 'jail_validators' as const, validators }];
  assert.throws(() => correct(open(), jailed([operator(7)])), HoldingsError);
  const account = moduleAccount('distribution', 'cosmos', sha256);
  const overdraft: StateChange = { kind: 'adjust_balance', account, denom: 'gift', amount: '-5' };
  assert.throws(() => correct(open(), [overdraft]), /block 2, PreBlock: gift of cosmos.*at least 0, found -5/);
  const state = open();
  const begin: StateChange = { kind: 'begin_unbonding', validators: [operator(1)] };
  assert.throws(
    () => correct(state, [begin, begin]),
    /block 2, PreBlock: status of .*: expected bonded, found not bonded/,
  );
});

const { upgrades } = loadReference();
const validators = validatorsOf(5n, 7n, 3n, 2n);
const openUpgrading = (parameters: SmallParameters = {}) =>
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
  const state = openUpgrading();
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
  const state = openUpgrading();
  fold(state, [submit(1, '7', { typeUrl, value: MsgIBCSoftwareUpgrade.encode(upgrade).finish() }), decide(2, '7')]);
  assert.deepEqual(state.upgradePlan, { name: 'v28.0.0', height: 4 });
  const exported = { ...exportedPlan('v28.0.0', 4), '@type': typeUrl };
  assert.deepEqual(openUpgrading({ proposals: [voted('8', 2, exported)] }).upgradePlan, { name: 'v28.0.0', height: 4 });
});

test('v28 leaves max_validators alone where the provider had more room', () => {
  const state = openUpgrading({ providerLimit: 9 });
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
  assert.deepEqual(openUpgrading({ proposals: [late, early] }).upgradePlan, { name: 'v28.0.0', height: 6 });
  assert.equal(openUpgrading({ proposals: [voted('8', 2, exportedPlan('v28.0.0', 0))] }).upgradePlan, null);
  const cancel = { '@type': MsgCancelUpgrade.typeUrl };
  assert.equal(openUpgrading({ proposals: [late, voted('10', 3, cancel)] }).upgradePlan, null);
  const run = { '@type': '/cosmos.authz.v1beta1.MsgExec', grantee: '', msgs: [cancel] };
  assert.equal(openUpgrading({ proposals: [late, voted('10', 3, run)] }).upgradePlan, null);
  assert.equal(openUpgrading({ proposals: [{ ...late, status: 'PROPOSAL_STATUS_FAILED' }] }).upgradePlan, null);
});

test("a proposal that is open in the export plans its upgrade when it passes; the plan outlives the fold's checkpoint", () => {
  const proposals = [{ ...voted('8', 2, exportedPlan('v28.0.0', 6)), status: 'PROPOSAL_STATUS_VOTING_PERIOD' }];
  const state = openUpgrading({ proposals });
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
    const state = openUpgrading();
    fold(state, [...planned, ...decisions]);
    assert.deepEqual(state.upgradePlan, expected);
    if (expected?.name === 'v28.0.0') continue;
    fold(state, [block(6, {})]);
    assert.equal(state.parameters.maxValidators, 4);
  }
});

test('an upgrade that nobody reviewed is named before its height, and in the error when it changed something', () => {
  const state = openUpgrading();
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
      /bonded pool: expected 12000000, found 17000000; upgrade plan v28.0.0 at 3$/.test(error.message),
  );
});

test('coins that a handler moves and its entry does not name are refused', () => {
  const moved = block(3, { upgrade: [transfer('mint', 'distribution')] });
  const state = openUpgrading();
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
    const state = openUpgrading();
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
