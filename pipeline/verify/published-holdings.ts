/** Holdings of some accounts after a block, from the tables of a generation, in the words of a node's REST answers. */
import { dirname, join } from 'node:path';
import type {
  DelegationInterval,
  Manifest,
  OpeningBalance,
  UnbondingInterval,
  ValidatorDay,
  ValidatorSlash,
} from '../../schemas/types.generated.js';
import { unfinished } from '../disk/atomic-files.js';
import { Database, readSql } from '../duckdb/database.js';
import { stakedTokens, unclaimedReward } from '../holdings/modules/unclaimed-reward.js';
import { Denoms, formatDecCoins } from '../holdings/values/dec-coins.js';
import { formatDecimal18 } from '../holdings/values/decimal18.js';
import { tableFiles } from '../publish/generation.js';

export const KINDS = ['balances', 'delegations', 'unbonding', 'rewards'] as const;
export type Kind = (typeof KINDS)[number];

/** Name of a fact (a denom, a validator, an entry) → what is so. */
export type Facts = Map<string, string>;
export type AccountFacts = Readonly<Record<Kind, Facts>>;

export const noFacts = (): AccountFacts => ({
  balances: new Map(),
  delegations: new Map(),
  unbonding: new Map(),
  rewards: new Map(),
});

/** Adds what is left of an unbonding entry. Entries of one validator and block count as one. */
export function addEntry(
  { unbonding }: AccountFacts,
  validator: string,
  creationHeight: number | string,
  balance: bigint,
): void {
  const name = `${validator} begun at ${creationHeight}`;
  if (balance > 0n) unbonding.set(name, String(BigInt(unbonding.get(name) ?? 0) + balance));
}

export class PublishedHoldings {
  private constructor(
    private readonly database: Database,
    private readonly manifest: Manifest,
  ) {}

  /** @param folder of a generation that has holdings */
  static async open(folder: string, manifest: Manifest): Promise<PublishedHoldings> {
    const database = await Database.open(unfinished(join(dirname(folder), 'verify-spill')));
    const attach = (table: string, as = table) => database.attach(table, tableFiles(folder, manifest, table), as);
    for (const table of ['native_holdings', 'opening_balances', 'coin_movements', 'validator_slashes'])
      await attach(table);
    for (const table of ['delegation_intervals', 'unbonding_intervals', 'validator_days']) {
      await attach(table, `folded_${table}`);
    }
    return new PublishedHoldings(database, manifest);
  }

  close(): void {
    this.database.close();
  }

  /** Accounts to look at: the same ones whenever this generation is asked. */
  async sample(count: number, moduleAccounts: readonly string[]): Promise<string[]> {
    await this.database.run('tables/own_accounts', { module_accounts: moduleAccounts });
    const parameters = { count, seed: this.manifest.generation };
    const rows = await this.database.all<{ address: string }>(readSql('tables/node_sample'), parameters);
    return rows.map(({ address }) => address);
  }

  /** Last blocks of the index's days, ascending. */
  async closes(): Promise<number[]> {
    const rows = await this.database.all<{ close_height: number }>(readSql('tables/closes'));
    return rows.map(({ close_height }) => close_height);
  }

  /** @param height the close of a day */
  async at(height: number, addresses: readonly string[]): Promise<ReadonlyMap<string, AccountFacts>> {
    const facts = new Map(addresses.map((address) => [address, noFacts()]));
    await this.addBalances(facts, height);
    await this.addDelegations(facts, height);
    for (const u of await this.all<UnbondingInterval>('unbonding_intervals', 'tables/entries_at', { height })) {
      const account = facts.get(u.delegator);
      if (account) addEntry(account, u.validator, u.creation_height, u.balance);
    }
    return facts;
  }

  private async addBalances(facts: ReadonlyMap<string, AccountFacts>, height: number): Promise<void> {
    const oversized = this.manifest.oversized.map(({ denom }) => denom);
    const parameters = { height, addresses: [...facts.keys()], oversized };
    for (const { address, denom, amount } of await this.all<OpeningBalance>(
      'opening_balances',
      'tables/balances_at',
      parameters,
    )) {
      facts.get(address)!.balances.set(denom, String(amount));
    }
  }

  private async addDelegations(facts: ReadonlyMap<string, AccountFacts>, height: number): Promise<void> {
    const days = await this.all<ValidatorDay>('validator_days', 'tables/validators_at', { height });
    const validators = new Map(days.map((day) => [day.validator, day]));
    const slashes: ValidatorSlash[] = [];
    for await (const rows of this.database.sorted<ValidatorSlash>('validator_slashes')) slashes.push(...rows);
    const denoms = new Denoms();
    const sql = readSql('tables/intervals_at');
    for await (const rows of this.database.rows<DelegationInterval>('delegation_intervals', sql, { height })) {
      for (const interval of rows) {
        const account = facts.get(interval.delegator);
        if (!account) continue;
        const { validator, shares } = interval;
        const day = validators.get(validator)!;
        account.delegations.set(validator, `${formatDecimal18(shares)} shares, ${stakedTokens(interval, day)}`);
        const own = slashes.filter((slash) => slash.validator === validator);
        account.rewards.set(validator, formatDecCoins(unclaimedReward(interval, day, own, denoms), denoms));
      }
    }
  }

  private async all<Row>(table: string, query: string, parameters: Parameters<Database['rows']>[2]): Promise<Row[]> {
    const all: Row[] = [];
    for await (const rows of this.database.rows<Row>(table, readSql(query), parameters)) all.push(...rows);
    return all;
  }
}
