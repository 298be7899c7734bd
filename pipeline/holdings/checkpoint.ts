/**
 * Serializes the fold's state as lines of JSON, so that a nightly run can continue where the last one ended. Names and
 * denoms are sorted, so equal states give equal bytes.
 */

import { Delegations } from './delegations.js';
import { knownCommissionRate } from './modules/validator.js';
import type { HoldingsState, ModuleName, Redelegations, Sha256, Slash, UnbondingEntry, Validator } from './state.js';
import { JournaledMap, UndoJournal } from './undo-journal.js';
import { type Amounts, Denoms } from './values/decimal18.js';

/** Increase this number whenever the format changes. Checkpoints with another number are rejected. */
const FORMAT = 5;

type Entries<Value> = readonly (readonly [name: string, value: Value])[];

type MapNames = 'proposals' | 'shareRecords' | 'validators' | 'validatorsByConsensus' | 'unbondings' | 'redelegations';
type Header = Omit<HoldingsState, MapNames | 'moduleAccounts' | 'differences' | 'sha256' | 'denoms' | 'journal'> & {
  readonly format: number;
  readonly denoms: readonly string[];
  readonly proposals: Entries<ReturnType<HoldingsState['proposals']['get']> & object>;
  readonly shareRecords: Entries<ReturnType<HoldingsState['shareRecords']['get']> & object>;
  readonly differences: Entries<bigint>;
  readonly moduleAccounts: Entries<{ name: ModuleName; balances: Entries<bigint> }>;
  readonly unbondings: Entries<Entries<readonly UnbondingEntry[]>>;
  readonly redelegations: Entries<Entries<Redelegations>>;
};

/** Members with one amount per denom. They are written in the header's order of denoms, separated by commas. */
type AmountNames = 'ratio' | 'current' | 'outstanding' | 'commission';
type ValidatorLine = Omit<Validator, AmountNames | 'slashes' | 'delegations' | 'lastReward' | 'lastCommission'> &
  Record<AmountNames, string> & { readonly slashes: readonly (Omit<Slash, 'ratio'> & { ratio: string })[] };

type DelegationLine = readonly [delegator: string, text: string];

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] => [...map].sort(byName);

/** Serializes a value. JSON has no bigint, so 123n becomes the string '123n'. */
const write = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
const read = <Value>(line: string): Value =>
  JSON.parse(line, (_, v) => (typeof v === 'string' && /^-?\d+n$/.test(v) ? BigInt(v.slice(0, -1)) : v));

/** Yields one line per delegation, because one string cannot hold all delegations. */
export function* serializeState(state: HoldingsState): Generator<string> {
  const order = state.denoms.sorted();
  const text = (amounts: Amounts) => order.map((denom) => amounts[denom] ?? 0n).join(',');
  yield write(headerOf(state));
  for (const [, validator] of sorted(state.validators)) {
    const { delegations, slashes, ratio, current, outstanding, commission, lastReward, lastCommission, ...rest } =
      validator;
    yield write({
      ...rest,
      commissionRate: knownCommissionRate(validator),
      ratio: text(ratio),
      current: text(current),
      outstanding: text(outstanding),
      commission: text(commission),
      slashes: slashes.map((slash) => ({ ...slash, ratio: text(slash.ratio) })),
    } satisfies ValidatorLine);
    for (const [delegator, packed] of [...delegations.texts(order)].sort(byName)) {
      yield JSON.stringify([delegator, packed] satisfies DelegationLine);
    }
  }
}

function headerOf(state: HoldingsState): Header {
  const { height, time, day, bondDenom, parameters, upgradePlan, upgrades, unbonding, guesses, denoms } = state;
  return {
    format: FORMAT,
    denoms: denoms.sorted().map((denom) => denoms.name(denom)),
    height,
    time,
    day,
    bondDenom,
    parameters,
    upgradePlan,
    upgrades,
    unbonding,
    guesses,
    proposals: sorted(state.proposals),
    shareRecords: sorted(state.shareRecords),
    differences: sorted(state.differences),
    moduleAccounts: sorted(state.moduleAccounts).map(([address, { name, balances }]) => [
      address,
      { name, balances: sorted(balances) },
    ]),
    unbondings: sorted(state.unbondings).map(([operator, pairs]) => [operator, sorted(pairs)]),
    redelegations: sorted(state.redelegations).map(([operator, pairs]) => [operator, sorted(pairs)]),
  };
}

export function deserializeState(lines: Iterable<string>, sha256: Sha256): HoldingsState {
  let state: HoldingsState | undefined;
  let validator: Validator | undefined;
  for (const line of lines) {
    if (!state) state = openHeader(read<Header>(line), sha256);
    else if (line.startsWith('[')) validator?.delegations.setText(...(JSON.parse(line) as DelegationLine));
    else {
      validator = readValidator(read<ValidatorLine>(line), state.journal);
      state.validators.set(validator.operator, validator);
      state.validatorsByConsensus.set(validator.consensusAddress, validator);
    }
  }
  if (!state) throw new Error('the checkpoint is empty');
  return state;
}

const parse = (text: string): bigint[] => (text === '' ? [] : text.split(',').map(BigInt));

function openHeader(header: Header, sha256: Sha256): HoldingsState {
  if (header.format !== FORMAT) throw new Error(`the checkpoint has format ${header.format}, not ${FORMAT}`);
  const denoms = new Denoms();
  const journal = new UndoJournal();
  for (const denom of header.denoms) denoms.number(denom);
  const { height, time, day, bondDenom, parameters, upgradePlan, upgrades, unbonding, guesses } = header;
  return {
    sha256,
    journal,
    denoms,
    height,
    time,
    day,
    bondDenom,
    parameters,
    upgradePlan,
    upgrades,
    unbonding,
    guesses,
    proposals: new Map(header.proposals),
    shareRecords: new JournaledMap(journal, header.shareRecords),
    differences: new Map(header.differences),
    moduleAccounts: new Map(
      header.moduleAccounts.map(([address, { name, balances }]) => [address, { name, balances: new Map(balances) }]),
    ),
    validators: new Map(),
    validatorsByConsensus: new Map(),
    unbondings: ofPairs(journal, header.unbondings),
    redelegations: ofPairs(journal, header.redelegations),
  };
}

const ofPairs = <Value>(journal: UndoJournal, entries: Entries<Entries<Value>>) =>
  new JournaledMap(
    journal,
    entries.map(([operator, pairs]) => [operator, new JournaledMap(journal, pairs)] as const),
  );

function readValidator(line: ValidatorLine, journal: UndoJournal): Validator {
  return {
    ...line,
    lastReward: 0n,
    lastCommission: 0n,
    ratio: parse(line.ratio),
    current: parse(line.current),
    outstanding: parse(line.outstanding),
    commission: parse(line.commission),
    slashes: line.slashes.map((slash) => ({ ...slash, ratio: parse(slash.ratio) })),
    delegations: new Delegations(journal),
  };
}
