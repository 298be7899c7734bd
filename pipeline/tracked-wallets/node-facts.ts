/** Queries nodes for the state of a wallet at the end of a block. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../base/json/exact-json.js';
import { NodeFailure } from '../chain/nodes/ask-node.js';
import type { LcdClient, ReadReply } from '../chain/nodes/lcd-client.js';
import { JsonItem } from '../holdings/values/json-item.js';

export interface Entry {
  readonly validator: string;
  readonly creationHeight: number;
  /** Time when the unbonding completes, RFC 3339. */
  readonly completion: string;
  readonly initial: bigint;
  readonly balance: bigint;
}

/** Amounts are base units. */
export interface WalletState {
  readonly balances: ReadonlyMap<string, bigint>;
  /** Staked coins by validator, each truncated to whole base units. */
  readonly delegations: ReadonlyMap<string, bigint>;
  readonly entries: readonly Entry[];
  /** Number of transactions that the account has signed. */
  readonly sequence: number;
  /** Unclaimed rewards in the native coin. The sum is truncated to whole base units. */
  readonly reward: bigint;
  /** What claims would pay by denom: each delegation's reward is truncated to whole base units before they are added. */
  readonly claims: ReadonlyMap<string, bigint>;
}

/** A coin whose amount is multiplied by 10^18. */
export interface DecimalCoin {
  readonly denom: string;
  readonly amount: bigint;
}

/**
 * Computes unclaimed rewards from the rewards of each delegation.
 * @param total sum of the rewards, as the node reports it
 * @throws NodeFailure if the rewards do not add up to the total
 */
export function rewardsOf(
  delegations: readonly (readonly DecimalCoin[])[],
  total: readonly DecimalCoin[],
  native: string,
): Pick<WalletState, 'reward' | 'claims'> {
  const [sums, claims] = [new Map<string, bigint>(), new Map<string, bigint>()];
  const add = (amounts: Map<string, bigint>, denom: string, amount: bigint) => {
    if (amount > 0n) amounts.set(denom, (amounts.get(denom) ?? 0n) + amount);
  };
  for (const { denom, amount } of delegations.flat()) {
    add(sums, denom, amount);
    add(claims, denom, amount / ONE);
  }
  const totals = new Map(total.filter(({ amount }) => amount > 0n).map(({ denom, amount }) => [denom, amount]));
  if (!isDeepStrictEqual(sums, totals))
    throw new NodeFailure('its rewards of delegations do not add up to their total');
  return { reward: (totals.get(native) ?? 0n) / ONE, claims };
}

export interface NodeValidator {
  readonly operator: string;
  readonly moniker: string;
  /** Base64 of the Ed25519 key that signs blocks. */
  readonly consensusKey: string;
  readonly tokens: bigint;
  /** Multiplied by 10^18. */
  readonly shares: bigint;
}

/** Reads the state after a block. Each function returns undefined if no node has the state at this height. */
export interface StateSource {
  wallet(address: string, height: number): Promise<WalletState | undefined>;
  validators(height: number): Promise<NodeValidator[] | undefined>;
  /** Returns the fraction that a slash takes, by reason, multiplied by 10^18. */
  slashFractions(height: number): Promise<SlashFractions | undefined>;
}

/** Reads the state over REST. */
export class NodeState implements StateSource {
  constructor(
    private readonly lcd: LcdClient,
    private readonly native: string,
  ) {}

  async wallet(address: string, height: number): Promise<WalletState | undefined> {
    const delegator = `v1beta1/delegators/${address}`;
    const balances = await this.list(`bank/v1beta1/balances/${address}`, height, 'balances', coin);
    if (balances === undefined) return undefined;
    const [delegations, unbondings, rewards, sequences] = await Promise.all([
      this.list(`staking/v1beta1/delegations/${address}`, height, 'delegation_responses', delegation),
      this.list(`staking/${delegator}/unbonding_delegations`, height, 'unbonding_responses', entriesOf),
      this.rewards(`/cosmos/distribution/${delegator}/rewards`, height),
      this.lcd.pages(`/cosmos/auth/v1beta1/accounts/${address}`, height, sequenceAt(height), ABSENT_ACCOUNT),
    ]);
    if (!delegations || !unbondings || !rewards || !sequences) return undefined;
    return {
      balances: new Map(balances.map(({ denom, amount }) => [denom, amount])),
      delegations: new Map(delegations),
      entries: unbondings.flat(),
      sequence: sequences[0] ?? 0,
      ...rewards,
    };
  }

  private async rewards(path: string, height: number) {
    const replies = await this.lcd.pages(path, height, (reply) => {
      for (const name of ['rewards', 'total']) if (!(name in reply)) throw new Error(`answers without ${name}`);
      const list = (name: string) => new JsonItem(name, reply[name] ?? undefined).list();
      const ofDelegation = (item: JsonItem) => item.member('reward').list().map(decimalCoin);
      return rewardsOf(list('rewards').map(ofDelegation), list('total').map(decimalCoin), this.native);
    });
    return replies?.[0];
  }

  validators(height: number): Promise<NodeValidator[] | undefined> {
    return this.list('staking/v1beta1/validators', height, 'validators', validator);
  }

  async slashFractions(height: number): Promise<SlashFractions | undefined> {
    const replies = await this.lcd.pages('/cosmos/slashing/v1beta1/params', height, (reply) => {
      const parameters = new JsonItem('params', reply.params);
      const fraction = (name: string) => parameters.member(`slash_fraction_${name}`).decimal();
      return { double_sign: fraction('double_sign'), missing_signature: fraction('downtime') };
    });
    return replies?.[0];
  }

  private async list<Element>(
    path: string,
    height: number,
    name: string,
    read: (item: JsonItem) => Element,
  ): Promise<Element[] | undefined> {
    const readList: ReadReply<Element[]> = (reply) => {
      if (!(name in reply)) throw new Error(`answers without ${name}`);
      return new JsonItem(name, reply[name] ?? undefined).list().map(read);
    };
    return (await this.lcd.pages(`/cosmos/${path}`, height, readList))?.flat();
  }
}

export type SlashFractions = Readonly<Record<'double_sign' | 'missing_signature', bigint>>;

/** Nodes report this error for an address that has never received coins. */
export const ABSENT_ACCOUNT = /not found/i;

export const coin = (item: JsonItem) => ({
  denom: item.member('denom').text(),
  amount: item.member('amount').integer(),
});

export const ONE = 10n ** 18n;

const decimalCoin = (item: JsonItem): DecimalCoin => ({
  denom: item.member('denom').text(),
  amount: item.member('amount').decimal(),
});

const delegation = (item: JsonItem): [string, bigint] => [
  item.member('delegation').member('validator_address').address(),
  item.member('balance').member('amount').integer(),
];

export const entriesOf = (item: JsonItem): Entry[] => {
  const operator = item.member('validator_address').address();
  return item
    .member('entries')
    .list()
    .map((entry) => ({
      validator: operator,
      creationHeight: entry.member('creation_height').count(),
      completion: entry.member('completion_time').text(),
      initial: entry.member('initial_balance').integer(),
      balance: entry.member('balance').integer(),
    }));
};

export const validator = (item: JsonItem): NodeValidator => ({
  operator: item.member('operator_address').address(),
  moniker: item.member('description').member('moniker').textOr(''),
  consensusKey: item.member('consensus_pubkey').member('key').textOr(''),
  tokens: item.member('tokens').integer(),
  shares: item.member('delegator_shares').decimal(),
});

/** More transactions of one account than any chain could have had. */
const SEQUENCE_MIN = 1_000_000;
const SEQUENCES_PER_BLOCK = 100;

const sequenceAt =
  (height: number): ReadReply<number> =>
  ({ account }) =>
    sequenceWithin(baseAccount(account)?.sequence ?? 0, height);

/** @throws Error if an account cannot have signed so many transactions */
export function sequenceWithin(sequence: number, height: number): number {
  if (Number.isSafeInteger(sequence) && sequence >= 0 && sequence <= SEQUENCE_MIN + height * SEQUENCES_PER_BLOCK) {
    return sequence;
  }
  throw new NodeFailure(`it answers with the sequence ${sequence}, more than fit into ${height} blocks`);
}

/** Returns the base account inside an account of any type, for example inside a vesting or module account. */
export function baseAccount(value: unknown): { readonly address: string; readonly sequence: number } | undefined {
  if (!isRecord(value)) return undefined;
  if ('sequence' in value && 'address' in value) {
    return { address: String(value.address).toLowerCase(), sequence: Number(value.sequence) };
  }
  for (const member of Object.values(value)) {
    const found = baseAccount(member);
    if (found) return found;
  }
  return undefined;
}
