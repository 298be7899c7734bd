/** The starting state of a generated chain, list by list: to be read at once, or written as the export that a node makes. */
import { moduleAccount } from '../../../pipeline/holdings/modules/addresses.js';
import { formatDecimal18, fromWhole } from '../../../pipeline/holdings/values/decimal18.js';
import {
  account,
  delegated,
  denomNames,
  endedPeriods,
  FIRST_HEIGHT,
  held,
  operator,
  publicKey,
  ratiosAfter,
  type Size,
  type Stake,
  sha256,
  stakeOf,
  stakes,
  startPeriod,
} from './generated-size.js';

/** Characters that are written at a time. */
const BATCH_CHARACTERS = 1 << 18;

/** More of every denom than is ever paid, and more yet where it is paid from. */
const OUTSTANDING = 10n ** 20n;
const DISTRIBUTED = 10n ** 26n;

const uatom = (amount: bigint | string) => [{ denom: 'uatom', amount: String(amount) }];
const decimal = (amount: bigint) => `${amount}.000000000000000000`;
const coinsOf = (size: Size, amount: (denom: number) => string) =>
  denomNames(size)
    .map((denom, i) => ({ denom, amount: amount(i) }))
    .sort((a, b) => (a.denom < b.denom ? -1 : 1));

function* each<Value>(count: number, make: (number: number) => Value): Generator<Value> {
  for (let i = 0; i < count; i++) yield make(i);
}

const PARAMETERS = {
  slashing: { slash_fraction_downtime: '0.000100000000000000', slash_fraction_double_sign: '0.050000000000000000' },
  staking: { unbonding_time: '1814400s', bond_denom: 'uatom' },
};

function* historicalRewards(size: Size) {
  for (let validator = 0; validator < size.validators; validator++) {
    for (let period = 0; period <= endedPeriods(size); period++) {
      const ratios = ratiosAfter(period, validator, size);
      const cumulative_reward_ratio = coinsOf(size, (denom) => formatDecimal18(ratios[denom]!));
      const rewards = { cumulative_reward_ratio, reference_count: 1 };
      yield { validator_address: operator(validator), period: String(period), rewards };
    }
  }
}

function* balances(size: Size, of: readonly Stake[]) {
  const sum = (some: readonly Stake[]) => some.reduce((total, { tokens }) => total + tokens, 0n);
  const modules = {
    distribution: coinsOf(size, () => String(DISTRIBUTED)),
    bonded_tokens_pool: uatom(sum(of.slice(0, size.bonded))),
    not_bonded_tokens_pool: uatom(sum(of.slice(size.bonded))),
  };
  for (const [name, coins] of Object.entries(modules)) {
    yield { address: moduleAccount(name, 'cosmos', sha256), coins };
  }
  yield* each(size.accounts, (i) => ({ address: account(i), coins: uatom(held(i)) }));
}

const authAccount = (i: number) => ({
  '@type': '/cosmos.auth.v1beta1.BaseAccount',
  address: account(i),
  pub_key: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: publicKey(i) },
  account_number: String(i),
  sequence: '12',
});

const pair = (i: number, { validators }: Size) => ({
  delegator_address: account(i),
  validator_address: operator(i % validators),
});

const startingInfo = (i: number, size: Size, of: readonly Stake[]) => ({
  ...pair(i, size),
  starting_info: {
    previous_period: String(startPeriod(i, size)),
    stake: formatDecimal18(stakeOf(fromWhole(delegated(i, size)), of[i % size.validators]!)),
    height: String(FIRST_HEIGHT - 1),
  },
});

const validator = (i: number, { bonded }: Size, { tokens, shares }: Stake) => ({
  operator_address: operator(i),
  description: { moniker: `Validator ${i}` },
  consensus_pubkey: { '@type': '/cosmos.crypto.ed25519.PubKey', key: publicKey(i) },
  jailed: false,
  status: i < bonded ? 'BOND_STATUS_BONDED' : 'BOND_STATUS_UNBONDED',
  tokens: String(tokens),
  delegator_shares: formatDecimal18(shares),
  unbonding_height: '0',
  unbonding_time: '1970-01-01T00:00:00Z',
  min_self_delegation: '1',
});

/** Sections of an export by module and name: each is a value, or a list as a generator. */
type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function sectionsOf(size: Size): Sections {
  const of = stakes(size);
  const ofValidators = <Value>(make: (address: { validator_address: string }) => Value) =>
    each(size.validators, (i) => make({ validator_address: operator(i) }));
  return {
    auth: { accounts: each(size.accounts, authAccount) },
    bank: { balances: balances(size, of) },
    distribution: {
      outstanding_rewards: ofValidators((at) => ({
        ...at,
        outstanding_rewards: coinsOf(size, () => decimal(OUTSTANDING)),
      })),
      validator_historical_rewards: historicalRewards(size),
      validator_current_rewards: ofValidators((at) => {
        return { ...at, rewards: { rewards: [], period: String(endedPeriods(size) + 1) } };
      }),
      delegator_starting_infos: each(size.delegations, (i) => startingInfo(i, size, of)),
    },
    slashing: { params: PARAMETERS.slashing },
    staking: {
      params: { ...PARAMETERS.staking, max_validators: size.bonded },
      validators: each(size.validators, (i) => validator(i, size, of[i]!)),
      delegations: each(size.delegations, (i) => ({ ...pair(i, size), shares: decimal(delegated(i, size)) })),
      exported: true,
    },
  };
}

const isList = (value: unknown): value is Generator<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

/** Calls back with every value, a list's one by one under a path that ends with []. */
export function eachExported(size: Size, found: (path: string, value: unknown) => void): void {
  found('initial_height', FIRST_HEIGHT + 1);
  for (const [module, sections] of Object.entries(sectionsOf(size))) {
    for (const [name, value] of Object.entries(sections)) {
      const path = `app_state.${module}.${name}`;
      if (!isList(value)) found(path, value);
      else for (const element of value) found(`${path}[]`, element);
    }
  }
}

/** Writes a JSON value, a list element by element. */
function* textOf(value: unknown): Generator<string> {
  if (!isList(value)) return yield JSON.stringify(value);
  let separator = '[';
  for (const element of value) {
    yield separator + JSON.stringify(element);
    separator = ',';
  }
  yield ']';
}

function* objectText(members: readonly (readonly [name: string, text: Iterable<string>])[]): Generator<string> {
  let separator = '{';
  for (const [name, text] of members) {
    yield `${separator}${JSON.stringify(name)}:`;
    yield* text;
    separator = ',';
  }
  yield '}';
}

/** Writes the export as JSON text, in batches of some size. */
export function* exportText(size: Size): Generator<string> {
  const modules = Object.entries(sectionsOf(size)).map(([module, sections]) => {
    const members = Object.entries(sections).map(([name, value]) => [name, textOf(value)] as const);
    return [module, objectText(members)] as const;
  });
  const whole = objectText([
    ['chain_id', textOf('generated-1')],
    ['initial_height', textOf(FIRST_HEIGHT + 1)],
    ['app_state', objectText(modules)],
  ]);
  let batch = '';
  for (const text of whole) {
    batch += text;
    if (batch.length < BATCH_CHARACTERS) continue;
    yield batch;
    batch = '';
  }
  yield batch;
}
