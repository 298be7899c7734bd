/** Compares a dataset's holdings with a node's state, or with an exported state of the chain. */
import { dirname } from 'node:path';
import type {
  DelegationInterval,
  Manifest,
  OpeningBalance,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { scratchFolder } from '../../base/disk/lock.js';
import { Database, type RowAppender, readSql } from '../../base/duckdb/database.js';
import type { NodeAddress } from '../../chain/nodes/endpoint.js';
import { LcdClient, type ReadAnswer } from '../../chain/nodes/lcd-client.js';
import { chainFacts } from '../../classify/chain-facts.js';
import type { ChainFacts } from '../../classify/classifier.js';
import { stakedTokens, unclaimedReward } from '../../holdings/day-holdings.js';
import type { Delegation } from '../../holdings/delegations.js';
import { accruedReward, emitDay, tokensFromShares } from '../../holdings/modules/delegation.js';
import { closingRatio } from '../../holdings/modules/validator.js';
import { loadStartingState } from '../../holdings/start/load-starting-state.js';
import type { HoldingsState, UnbondingEntry, Validator } from '../../holdings/state.js';
import { Denoms, formatDecCoins, formatDecimal18, wholePart } from '../../holdings/values/decimal18.js';
import { JsonItem, StartingStateError } from '../../holdings/values/json-item.js';
import { loadReference } from '../../reference.js';
import { makeOwnAccounts } from '../derived-tables.js';
import { readManifest, tableFiles } from '../generation.js';
import { groupRows } from '../group-rows.js';
import type { Check } from './verify.js';

const KINDS = ['balances', 'delegations', 'unbonding', 'rewards'] as const;
type Kind = (typeof KINDS)[number];

/** Maps a denom, validator or unbonding entry to its value as text. */
type Facts = Map<string, string>;
type AccountFacts = Readonly<Record<Kind, Facts>>;

const noFacts = (): AccountFacts => ({
  balances: new Map(),
  delegations: new Map(),
  unbonding: new Map(),
  rewards: new Map(),
});

/** Adds an unbonding entry. Amounts of entries with the same validator and creation height are summed. */
function addEntry(
  { unbonding }: AccountFacts,
  validator: string,
  creationHeight: number | string,
  balance: bigint,
): void {
  const name = `${validator} begun at ${creationHeight}`;
  if (balance > 0n) unbonding.set(name, String(BigInt(unbonding.get(name) ?? 0) + balance));
}

/** A balance that differs between dataset and export. Amounts are base units. */
interface BalanceDifference {
  readonly address: string;
  readonly denom: string;
  readonly published: string;
  readonly exported: string;
  /** Number of all differences, including differences that are not shown. */
  readonly differing: number;
}

class PublishedHoldings {
  private constructor(
    private readonly database: Database,
    readonly manifest: Manifest,
    readonly until: number,
  ) {}

  static async open(folder: string): Promise<PublishedHoldings> {
    const manifest = readManifest(folder);
    const { holdings_until: until } = manifest;
    if (until === null) {
      throw new ConfigError('the dataset has no starting state, so it has no holdings to compare');
    }
    const spill = await scratchFolder(dirname(folder), 'verify-spill');
    const database = await Database.open(spill, { threads: 1 }); // two threads would need twice the memory
    const attach = (table: string, as = table) => database.attach(table, tableFiles(folder, manifest, table), as);
    const asTheyAre = [
      'native_holdings',
      'opening_balances',
      'coin_movements',
      'validator_slashes',
      'delegation_intervals',
    ];
    for (const table of asTheyAre) await attach(table);
    for (const table of ['unbonding_intervals', 'validator_days']) await attach(table, `folded_${table}`);
    return new PublishedHoldings(database, manifest, until);
  }

  close(): void {
    this.database.close();
  }

  /** Selects accounts pseudo-randomly. The same generation always gives the same accounts. */
  async sample(count: number, chain: ChainFacts): Promise<string[]> {
    await makeOwnAccounts(this.database, chain);
    const parameters = { count, seed: this.manifest.generation };
    const rows = await this.database.all<{ address: string }>(readSql('tables/node_sample'), parameters);
    return rows.map(({ address }) => address);
  }

  async closes(): Promise<number[]> {
    const rows = await this.database.all<{ close_height: number }>(readSql('tables/closes'));
    return rows.map(({ close_height }) => close_height);
  }

  /**
   * Returns accounts' holdings after a block.
   * @param height last block of a day
   */
  async at(height: number, addresses: readonly string[]): Promise<ReadonlyMap<string, AccountFacts>> {
    const facts = new Map(addresses.map((address) => [address, noFacts()]));
    await this.addBalances(facts, height);
    await this.addDelegations(facts, height);
    for await (const u of this.entries(height)) {
      const account = facts.get(u.delegator);
      if (account) addEntry(account, u.validator, u.creation_height, u.balance);
    }
    return facts;
  }

  delegations(height: number): AsyncGenerator<DelegationInterval> {
    return this.each('delegation_intervals', 'tables/delegations_at', { height });
  }

  entries(height: number): AsyncGenerator<UnbondingInterval> {
    return this.each('unbonding_intervals', 'tables/entries_at', { height });
  }

  /** Returns the validators after a day's last block. The map is empty if this block is not a day's last block. */
  async validatorDays(height: number): Promise<Map<string, ValidatorDay>> {
    const days = await this.all<ValidatorDay>('validator_days', 'tables/validators_at', { height });
    return new Map(days.map((day) => [day.validator, day]));
  }

  async slashes(height: number): Promise<Map<string, ValidatorSlash[]>> {
    const slashes = new Map<string, ValidatorSlash[]>();
    const sorted = this.database.sorted<ValidatorSlash>('validator_slashes');
    for await (const [validator, rows] of groupRows(sorted, (row) => row.validator)) {
      slashes.set(
        validator,
        rows.filter((slash) => slash.height <= height),
      );
    }
    return slashes;
  }

  get oversized(): string[] {
    return this.manifest.oversized.map(({ denom }) => denom);
  }

  /**
   * Creates a table for the balances of an export. Callers must leave out zero balances and denoms that are too large
   * for a column.
   */
  async takeBalances(): Promise<RowAppender<OpeningBalance>> {
    await this.database.create('opening_balances', 'exported_balances');
    return this.database.appender('opening_balances', 'exported_balances');
  }

  /**
   * Returns the balances that differ, ordered by account.
   * @param shown maximum number of returned rows
   */
  balanceDifferences(height: number, shown: number): Promise<BalanceDifference[]> {
    const parameters = { height, shown, oversized: this.oversized };
    return this.database.all(readSql('tables/balance_differences'), parameters);
  }

  private async addBalances(facts: ReadonlyMap<string, AccountFacts>, height: number): Promise<void> {
    const parameters = { height, addresses: [...facts.keys()], oversized: this.oversized };
    for (const { address, denom, amount } of await this.all<OpeningBalance>(
      'opening_balances',
      'tables/balances_at',
      parameters,
    )) {
      facts.get(address)!.balances.set(denom, String(amount));
    }
  }

  private async addDelegations(facts: ReadonlyMap<string, AccountFacts>, height: number): Promise<void> {
    const [validators, slashes] = [await this.validatorDays(height), await this.slashes(height)];
    const denoms = new Denoms();
    for await (const interval of this.delegations(height)) {
      const account = facts.get(interval.delegator);
      if (!account) continue;
      const { validator, shares } = interval;
      const day = validators.get(validator)!;
      account.delegations.set(validator, `${formatDecimal18(shares)} shares, ${stakedTokens(interval, day)}`);
      const reward = unclaimedReward(interval, day, slashes.get(validator) ?? [], denoms);
      account.rewards.set(validator, formatDecCoins(reward, denoms));
    }
  }

  private async all<Row>(table: string, query: string, parameters: Parameters<Database['rows']>[2]): Promise<Row[]> {
    const all: Row[] = [];
    for await (const row of this.each<Row>(table, query, parameters)) all.push(row);
    return all;
  }

  private async *each<Row>(
    table: string,
    query: string,
    parameters: Parameters<Database['rows']>[2],
  ): AsyncGenerator<Row> {
    for await (const rows of this.database.rows<Row>(table, readSql(query), parameters)) yield* rows;
  }
}

const HEIGHTS = 3;

/**
 * Yields a check for each account and kind of holdings: balances, delegations, unbonding entries and exact unclaimed
 * rewards. Compares them at up to three heights: the last blocks of the dataset's last day and of earlier days. Skips
 * heights that the node has pruned.
 * @param lcdUrls at least one
 * @param sampleSize number of accounts, delegators first
 * @throws ConfigError if the dataset has no holdings or no node responds
 */
export async function* verifyAgainstNode(
  folder: string,
  lcdUrls: readonly NodeAddress[],
  sampleSize: number,
): AsyncGenerator<Check> {
  const node = new LcdClient(lcdUrls);
  const published = await PublishedHoldings.open(folder);
  try {
    const { chain, contracts } = loadReference();
    const accounts = await published.sample(sampleSize, chainFacts(chain, contracts));
    const heights = await heightsOf(node, published, accounts[0]!);
    yield {
      ok: heights.length > 0,
      text: `node: has the state of heights ${heights.join(', ') || '(none of the indexed days)'}`,
    };
    for (const height of heights) yield* compare(node, published, accounts, height);
  } finally {
    published.close();
  }
}

/**
 * Returns heights at which the node still has state: the last block of the last day, and the last blocks of other days
 * throughout the index.
 */
async function heightsOf(node: LcdClient, published: PublishedHoldings, account: string): Promise<number[]> {
  const closes = await published.closes();
  const known: number[] = [];
  for (const height of [...closes.slice(-1), ...spread(closes.slice(0, -1))]) {
    if (known.length === HEIGHTS) break;
    if (await nodeHoldings(node, account, height)) known.push(height);
  }
  return known;
}

/** Yields the middle element, then the middle of each half, and so on. */
function* spread(list: readonly number[]): Generator<number> {
  const parts = [list];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part.length === 0) continue;
    const middle = part.length >> 1;
    yield part[middle]!;
    parts.push(part.slice(middle + 1), part.slice(0, middle));
  }
}

async function* compare(
  node: LcdClient,
  published: PublishedHoldings,
  accounts: readonly string[],
  height: number,
): AsyncGenerator<Check> {
  const ours = await published.at(height, accounts);
  for (const account of accounts) {
    const theirs = await nodeHoldings(node, account, height);
    for (const kind of KINDS) {
      const differences = theirs
        ? differencesOf(ours.get(account)![kind], theirs[kind])
        : ['the node has pruned this height'];
      const text = `${account} at ${height}: ${kind}`;
      yield { ok: differences.length === 0, text: [text, ...differences].join('\n  ') };
    }
  }
}

function differencesOf(ours: Facts, theirs: Facts): string[] {
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((name) => (ours.get(name) ?? '') !== (theirs.get(name) ?? ''))
    .map((name) => `${name}: ${ours.get(name) || 'nothing'}, the node has ${theirs.get(name) || 'nothing'}`);
}

interface Coin {
  readonly denom: string;
  readonly amount: string;
}

const coin = (item: JsonItem): Coin => ({ denom: item.member('denom').text(), amount: item.member('amount').text() });
const validator = (item: JsonItem) => item.member('validator_address').address();

function delegation(item: JsonItem) {
  const its = item.member('delegation');
  const { amount } = coin(item.member('balance'));
  return { validator: validator(its), shares: its.member('shares').text(), amount };
}

const unbonding = (item: JsonItem) => ({
  validator: validator(item),
  entries: item
    .member('entries')
    .list()
    .map((entry) => ({ height: entry.member('creation_height').count(), balance: entry.member('balance').integer() })),
});

/** If an account has no coins, a node may return null. */
const reward = (item: JsonItem) => ({ validator: validator(item), coins: item.member('reward').list().map(coin) });

/**
 * Reads a list. Nodes always return this list, even if it is empty. If it is missing, another program, such as a
 * gateway, sent the response, and an error is thrown.
 */
const listOf =
  <Element>(name: string, read: (item: JsonItem) => Element): ReadAnswer<Element[]> =>
  (answer) => {
    if (!(name in answer)) throw new Error(`answers without ${name}`);
    return new JsonItem(name, answer[name] ?? undefined).list().map(read);
  };

const coinsText = (coins: readonly Coin[]) =>
  [...coins]
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
    .map(({ denom, amount }) => amount + denom)
    .join(',');

/**
 * @returns undefined if the node has pruned the height
 * @throws ConfigError if no node returns a valid response
 */
async function nodeHoldings(node: LcdClient, address: string, height: number): Promise<AccountFacts | undefined> {
  const facts = noFacts();
  const ask = async <Element>(path: string, read: ReadAnswer<Element[]>) =>
    (await node.pages(`/cosmos/${path}`, height, read))?.flat();
  const balances = await ask(`bank/v1beta1/balances/${address}`, listOf('balances', coin));
  if (!balances) return undefined;
  const delegator = `v1beta1/delegators/${address}`;
  const [delegations, unbondings, rewards] = await Promise.all([
    ask(`staking/v1beta1/delegations/${address}`, listOf('delegation_responses', delegation)),
    ask(`staking/${delegator}/unbonding_delegations`, listOf('unbonding_responses', unbonding)),
    ask(`distribution/${delegator}/rewards`, listOf('rewards', reward)),
  ]);
  for (const { denom, amount } of balances) facts.balances.set(denom, amount);
  for (const { validator, shares, amount } of delegations ?? []) {
    facts.delegations.set(validator, `${shares} shares, ${amount}`);
  }
  for (const { validator, entries } of unbondings ?? []) {
    for (const { height, balance } of entries) addEntry(facts, validator, height, balance);
  }
  for (const { validator, coins } of rewards ?? []) facts.rewards.set(validator, coinsText(coins));
  return facts;
}

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
    const balances = new Tally('balances', SHOWN);
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
    (kind) => new Tally(kind, SHOWN),
  ) as [Tally, Tally, Tally, Tally];
  const ownDays = await published.validatorDays(height);
  if (ownDays.size === 0)
    yield { ok: true, text: `export at ${height}: is not the end of a day; validators are taken from the export` };
  for (const operator of ownDays.size === 0 ? [] : new Set([...ownDays.keys(), ...exported.days.keys()])) {
    validators.compare(operator, textOf(ownDays.get(operator)), textOf(exported.days.get(operator)));
  }
  if (ownDays.size > 0) yield validators.check(height);
  const [slashes, denoms] = [await published.slashes(height), new Denoms()];
  for await (const interval of published.delegations(height)) {
    const { validator, delegator, shares } = interval;
    const day = (ownDays.size === 0 ? exported.days : ownDays).get(validator);
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

  constructor(
    private readonly kind: string,
    private readonly shown: number,
  ) {}

  compare(name: string, published: string | undefined, exported: string | undefined): void {
    this.compared++;
    if (published !== exported) this.differ(name, published, exported);
  }

  differ(name: string, published = 'nothing', exported = 'nothing'): void {
    this.differing++;
    if (this.lines.length < this.shown) this.lines.push(`${name}: ${published}, the export has ${exported}`);
  }

  check(height: number): Check {
    const { kind, compared, differing, lines } = this;
    const text = `export at ${height}: ${kind}: ${compared} compared, ${differing} differ`;
    const more = differing > lines.length ? [`and ${differing - lines.length} more`] : [];
    return { ok: differing === 0, text: [text, ...lines, ...more].join('\n  ') };
  }
}
