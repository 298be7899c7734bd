/** Holdings of a published dataset, for the comparison with a node's state or with an exported state. */
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
import type { ChainFacts } from '../../classify/classifier.js';
import { stakedTokens, unclaimedReward } from '../../holdings/day-holdings.js';
import { Denoms, formatDecCoins, formatDecimal18 } from '../../holdings/values/decimal18.js';
import { makeModuleAccounts } from '../derived-tables.js';
import { readManifest, tableFiles } from '../generation.js';
import { groupRows } from '../group-rows.js';

export const KINDS = ['balances', 'delegations', 'unbonding', 'rewards'] as const;
type Kind = (typeof KINDS)[number];

/** Maps a denom, validator or unbonding entry to its value as text. */
export type Facts = Map<string, string>;
export type AccountFacts = Readonly<Record<Kind, Facts>>;

export const noFacts = (): AccountFacts => ({
  balances: new Map(),
  delegations: new Map(),
  unbonding: new Map(),
  rewards: new Map(),
});

/** Adds an unbonding entry. Amounts of entries with the same validator and creation height are summed. */
export function addEntry(
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

export class PublishedHoldings {
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
    await makeModuleAccounts(this.database, chain);
    const parameters = { count, seed: this.manifest.generation };
    const rows = await this.database.all<{ address: string }>(readSql('tables/node_sample'), parameters);
    return rows.map(({ address }) => address);
  }

  async closes(): Promise<number[]> {
    const days = 'select distinct close_height from folded_validator_days order by close_height';
    const rows = await this.database.all<{ close_height: number }>(days);
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
