/** Compares a dataset's holdings with an exported state of the chain. */
import type { ValidatorDay } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { stakedTokens, unclaimedReward } from '../../holdings/day-holdings.js';
import type { Delegation } from '../../holdings/delegations.js';
import { accruedReward, tokensFromShares } from '../../holdings/modules/delegation.js';
import { emitDay } from '../../holdings/modules/stake-rows.js';
import { closingRatio } from '../../holdings/modules/validator.js';
import { loadStartingState } from '../../holdings/start/load-starting-state.js';
import type { HoldingsState, UnbondingEntry, Validator } from '../../holdings/state.js';
import { Denoms, formatDecCoins, formatDecimal18, wholePart } from '../../holdings/values/decimal18.js';
import { StartingStateError } from '../../holdings/values/json-item.js';
import { PublishedHoldings } from './published-holdings.js';
import type { Check } from './verify.js';

const SHOWN = 20;

/**
 * Yields one check per kind of holdings, which covers all accounts: balances, validators, delegations, unbonding
 * entries and exact unclaimed rewards.
 * @param source path or URL of the chain's `export` JSON, plain or compressed
 * @throws ConfigError if the export cannot be read or the dataset has no holdings at its height
 */
export async function* verifyAgainstExport(folder: string, source: string): AsyncGenerator<Check> {
  const published = await PublishedHoldings.open(folder);
  const { manifest, until } = published;
  try {
    const balances = new Tally('balances');
    const { chainId, stakes } = await readExport(source, published, balances);
    const { height } = stakes;
    if (chainId !== manifest.node_chain_id) {
      throw new ConfigError(`${source} belongs to ${chainId}, the dataset to ${manifest.node_chain_id}`);
    }
    const from = manifest.holdings_from!;
    if (height < from || height > until) {
      throw new ConfigError(`${source} has height ${height}, but the dataset has holdings from ${from} to ${until}`);
    }
    const differences = await published.balanceDifferences(height, SHOWN);
    for (const { address, denom, published: ours, exported } of differences) {
      balances.differ(`${address} ${denom}`, ours, exported);
    }
    balances.differing = differences[0]?.differing ?? 0;
    yield balances.check(height);
    yield* compareStakes(published, stakes);
  } finally {
    published.close();
  }
}

async function readExport(source: string, published: PublishedHoldings, balances: Tally) {
  const oversized = new Set(published.oversized);
  const taken = await published.takeBalances();
  try {
    const { chainId, state } = await loadStartingState(source, {
      onBalance(address, denom, amount) {
        if (amount === 0n || oversized.has(denom)) return;
        balances.compared++;
        taken.add({ address, denom, amount });
      },
    });
    return { chainId, stakes: new ExportedStakes(state) };
  } catch (error) {
    throw error instanceof StartingStateError ? new ConfigError(error.message) : error;
  } finally {
    taken.close();
  }
}

/**
 * Compares published stakes with the export. Removes each compared item from the export. The remaining items are stakes
 * that the dataset lacks.
 */
async function* compareStakes(published: PublishedHoldings, exported: ExportedStakes): AsyncGenerator<Check> {
  const { height } = exported;
  const [validators, delegations, rewards, unbonding] = ['validators', 'delegations', 'rewards', 'unbonding'].map(
    (kind) => new Tally(kind),
  ) as [Tally, Tally, Tally, Tally];
  const computedDays = await published.validatorDays(height);
  if (computedDays.size === 0)
    yield { ok: true, text: `export at ${height}: is not the end of a day; validators are taken from the export` };
  for (const operator of computedDays.size === 0 ? [] : new Set([...computedDays.keys(), ...exported.days.keys()])) {
    validators.compare(operator, textOf(computedDays.get(operator)), textOf(exported.days.get(operator)));
  }
  if (computedDays.size > 0) yield validators.check(height);
  const [slashes, denoms] = [await published.slashes(height), new Denoms()];
  for await (const interval of published.delegations(height)) {
    const { validator, delegator, shares } = interval;
    const day = (computedDays.size === 0 ? exported.days : computedDays).get(validator);
    const name = `${delegator} at ${validator}`;
    const theirs = exported.takeDelegation(validator, delegator);
    const staked = day && `${formatDecimal18(shares)} shares, ${stakedTokens(interval, day)}`;
    delegations.compare(name, staked, theirs?.staked);
    const reward = day && unclaimedReward(interval, day, slashes.get(validator) ?? [], denoms);
    rewards.compare(name, reward && formatDecCoins(reward, denoms), theirs?.reward);
  }
  for (const { name, staked, reward } of exported.otherDelegations()) {
    delegations.compare(name, undefined, staked);
    rewards.compare(name, undefined, reward);
  }
  yield delegations.check(height);
  yield rewards.check(height);
  for await (const { validator, delegator, creation_height, balance } of published.entries(height)) {
    const name = `${delegator} at ${validator} begun at ${creation_height}`;
    unbonding.compare(name, String(balance), exported.takeEntry(validator, delegator, creation_height));
  }
  for (const { name, balance } of exported.otherEntries()) unbonding.compare(name, undefined, balance);
  yield unbonding.check(height);
}

const textOf = (day: ValidatorDay | undefined) =>
  day &&
  `${day.tokens} tokens, ${formatDecimal18(day.shares)} shares, ratio ${day.ratio}, commission ${day.commission}, rate ${day.commission_rate}`;

interface ExportedDelegation {
  readonly staked: string;
  readonly reward: string;
}

/**
 * Stakes of an export, formatted for comparison. Methods `take…` return and remove an item. Methods `other…` yield the
 * remaining items.
 */
class ExportedStakes {
  readonly height: number;
  /** Contains only validators with delegations. */
  readonly days = new Map<string, ValidatorDay>();

  constructor(private readonly state: HoldingsState) {
    this.height = state.height;
    emitDay(state, (_, row) => {
      const day = row as ValidatorDay;
      this.days.set(day.validator, day);
    });
  }

  takeDelegation(operator: string, delegator: string): ExportedDelegation | undefined {
    const validator = this.state.validators.get(operator);
    const delegation = validator?.delegations.get(delegator);
    if (!validator || !delegation) return undefined;
    validator.delegations.delete(delegator);
    return this.textsOf(validator, delegation);
  }

  *otherDelegations(): Generator<ExportedDelegation & { readonly name: string }> {
    for (const validator of this.state.validators.values()) {
      for (const [delegator, delegation] of validator.delegations) {
        yield { name: `${delegator} at ${validator.operator}`, ...this.textsOf(validator, delegation) };
      }
    }
  }

  takeEntry(operator: string, delegator: string, creationHeight: number): string | undefined {
    const pairs = this.state.unbondings.get(operator);
    const entries = pairs?.get(delegator) ?? [];
    const entry = entries.find((each) => each.creationHeight === creationHeight);
    if (!pairs || !entry) return undefined;
    pairs.set(
      delegator,
      entries.filter((each) => each !== entry),
    );
    return String(entry.balance);
  }

  *otherEntries(): Generator<{ readonly name: string; readonly balance: string }> {
    for (const [operator, pairs] of this.state.unbondings) {
      for (const [delegator, entries] of pairs) {
        for (const { creationHeight, balance } of entries.filter(isLeft)) {
          yield { name: `${delegator} at ${operator} begun at ${creationHeight}`, balance: String(balance) };
        }
      }
    }
  }

  private textsOf(validator: Validator, delegation: Delegation): ExportedDelegation {
    const { tokens, shares, slashes } = validator;
    const reward = accruedReward(delegation, slashes, {
      height: this.height,
      tokens,
      shares,
      ratio: closingRatio(validator),
    });
    return {
      staked: `${formatDecimal18(delegation.shares)} shares, ${wholePart(tokensFromShares(delegation.shares, validator))}`,
      reward: formatDecCoins(reward, this.state.denoms),
    };
  }
}

const isLeft = ({ balance }: UnbondingEntry) => balance > 0n;

class Tally {
  compared = 0;
  differing = 0;
  private readonly lines: string[] = [];

  constructor(private readonly kind: string) {}

  compare(name: string, published: string | undefined, exported: string | undefined): void {
    this.compared++;
    if (published !== exported) this.differ(name, published, exported);
  }

  differ(name: string, published = 'nothing', exported = 'nothing'): void {
    this.differing++;
    if (this.lines.length < SHOWN) this.lines.push(`${name}: ${published}, the export has ${exported}`);
  }

  check(height: number): Check {
    const { kind, compared, differing, lines } = this;
    const text = `export at ${height}: ${kind}: ${compared} compared, ${differing} differ`;
    const more = differing > lines.length ? [`and ${differing - lines.length} more`] : [];
    return { ok: differing === 0, text: [text, ...lines, ...more].join('\n  ') };
  }
}
