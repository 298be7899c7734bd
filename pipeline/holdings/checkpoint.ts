/**
 * The state as lines of JSON and back, so that a night resumes where the last one ended. The same state gives the same
 * bytes, whatever the order in which it came about: names are sorted, and denoms numbered in their order.
 */

import type {
  Delegation,
  HoldingsState,
  ModuleName,
  Redelegations,
  Sha256,
  Slash,
  UnbondingEntry,
  Validator,
} from './state.js';
import { type Amounts, Denoms } from './values/dec-coins.js';

/** Changes whenever the lines do: a checkpoint of another format is not read. */
const FORMAT = 2;

type Entries<Value> = readonly (readonly [name: string, value: Value])[];

type MapNames = 'proposals' | 'shareRecords' | 'validators' | 'validatorsByConsensus' | 'unbondings' | 'redelegations';
type Header = Omit<HoldingsState, MapNames | 'moduleAccounts' | 'sha256' | 'denoms'> & {
  readonly format: number;
  readonly denoms: readonly string[];
  readonly proposals: Entries<ReturnType<HoldingsState['proposals']['get']> & object>;
  readonly shareRecords: Entries<ReturnType<HoldingsState['shareRecords']['get']> & object>;
  readonly moduleAccounts: Entries<{ name: ModuleName; balances: Entries<bigint> }>;
  readonly unbondings: Entries<Entries<UnbondingEntry[]>>;
  readonly redelegations: Entries<Entries<Redelegations>>;
};

/** Amounts are text: one number a denom, in the header's order. */
type AmountNames = 'ratio' | 'current' | 'outstanding' | 'commission';
type ValidatorLine = Omit<Validator, AmountNames | 'slashes' | 'delegations'> &
  Record<AmountNames, string> & { readonly slashes: readonly (Omit<Slash, 'ratio'> & { ratio: string })[] };

/** A delegation; it belongs to the most recent ValidatorLine above it. */
type DelegationLine = readonly [
  delegator: string,
  shares: string,
  stake: string,
  period: number,
  height: number,
  ratio: string,
];

const sorted = <Value>(map: ReadonlyMap<string, Value>): [string, Value][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** bigint ↔ '123n' */
const write = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
const read = <Value>(line: string): Value =>
  JSON.parse(line, (_, v) => (typeof v === 'string' && /^-?\d+n$/.test(v) ? BigInt(v.slice(0, -1)) : v));

/** The state as lines without their line feeds, a delegation a line: no text is as large as the whole. */
export function* serializeState(state: HoldingsState): Generator<string> {
  const order = state.denoms.sorted();
  const text = (amounts: Amounts) => order.map((denom) => amounts[denom] ?? 0n).join(',');
  yield write(headerOf(state));
  for (const [, validator] of sorted(state.validators)) {
    const { delegations, slashes, ratio, current, outstanding, commission, ...rest } = validator;
    yield write({
      ...rest,
      ratio: text(ratio),
      current: text(current),
      outstanding: text(outstanding),
      commission: text(commission),
      slashes: slashes.map((slash) => ({ ...slash, ratio: text(slash.ratio) })),
    } satisfies ValidatorLine);
    for (const [delegator, { shares, stake, period, height, ratio: start }] of sorted(delegations)) {
      yield JSON.stringify([
        delegator,
        String(shares),
        String(stake),
        period,
        height,
        text(start),
      ] satisfies DelegationLine);
    }
  }
}

function headerOf(state: HoldingsState): Header {
  const { height, time, day, bondDenom, parameters, upgradePlan, unbonding, guesses, denoms } = state;
  return {
    format: FORMAT,
    denoms: denoms.sorted().map((denom) => denoms.name(denom)),
    height,
    time,
    day,
    bondDenom,
    parameters,
    upgradePlan,
    unbonding,
    guesses,
    proposals: sorted(state.proposals),
    shareRecords: sorted(state.shareRecords),
    moduleAccounts: sorted(state.moduleAccounts).map(([address, { name, balances }]) => [
      address,
      { name, balances: sorted(balances) },
    ]),
    unbondings: sorted(state.unbondings).map(([operator, pairs]) => [operator, sorted(pairs)]),
    redelegations: sorted(state.redelegations).map(([operator, pairs]) => [operator, sorted(pairs)]),
  };
}

/**
 * The state that serializeState wrote.
 * @throws Error when the lines are of another format
 */
export function deserializeState(lines: Iterable<string>, sha256: Sha256): HoldingsState {
  let state: HoldingsState | undefined;
  let validator: Validator | undefined;
  let parse = amountsParser();
  for (const line of lines) {
    if (!state) state = openHeader(read<Header>(line), sha256);
    else if (line.startsWith('[')) validator?.delegations.set(...readDelegation(JSON.parse(line), parse));
    else {
      parse = amountsParser();
      validator = readValidator(read<ValidatorLine>(line), parse);
      state.validators.set(validator.operator, validator);
      state.validatorsByConsensus.set(validator.consensusAddress, validator);
    }
  }
  if (!state) throw new Error('the checkpoint is empty');
  return state;
}

type ParseAmounts = (text: string) => bigint[];

/** Equal numbers become one bigint: the ratios of a validator's delegations repeat those of denoms that no longer come. */
function amountsParser(): ParseAmounts {
  const known = new Map<string, bigint>();
  const parse = (text: string): bigint => {
    const value = known.get(text) ?? BigInt(text);
    known.set(text, value);
    return value;
  };
  return (text) => (text === '' ? [] : text.split(',').map(parse));
}

function openHeader(header: Header, sha256: Sha256): HoldingsState {
  if (header.format !== FORMAT) throw new Error(`the checkpoint has format ${header.format}, not ${FORMAT}`);
  const denoms = new Denoms();
  for (const denom of header.denoms) denoms.number(denom);
  const { height, time, day, bondDenom, parameters, upgradePlan, unbonding, guesses } = header;
  return {
    sha256,
    denoms,
    height,
    time,
    day,
    bondDenom,
    parameters,
    upgradePlan,
    unbonding,
    guesses,
    proposals: new Map(header.proposals),
    shareRecords: new Map(header.shareRecords),
    moduleAccounts: new Map(
      header.moduleAccounts.map(([address, { name, balances }]) => [address, { name, balances: new Map(balances) }]),
    ),
    validators: new Map(),
    validatorsByConsensus: new Map(),
    unbondings: new Map(header.unbondings.map(([operator, pairs]) => [operator, new Map(pairs)])),
    redelegations: new Map(header.redelegations.map(([operator, pairs]) => [operator, new Map(pairs)])),
  };
}

function readValidator(line: ValidatorLine, parse: ParseAmounts): Validator {
  return {
    ...line,
    ratio: parse(line.ratio),
    current: parse(line.current),
    outstanding: parse(line.outstanding),
    commission: parse(line.commission),
    slashes: line.slashes.map((slash) => ({ ...slash, ratio: parse(slash.ratio) })),
    delegations: new Map(),
  };
}

function readDelegation(
  [delegator, shares, stake, period, height, ratio]: DelegationLine,
  parse: ParseAmounts,
): [string, Delegation] {
  return [delegator, { shares: BigInt(shares), stake: BigInt(stake), period, height, ratio: parse(ratio) }];
}
