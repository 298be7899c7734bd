/** Makes the table reward_months: what each wallet's delegations earned, paid and still owe, by month and coin. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  DelegationInterval,
  OpeningBalance,
  ValidatorDay,
  ValidatorSlash,
} from '../../../schemas/types.generated.js';
import { cacheKey } from '../../base/cache-key/cache-key.js';
import { type Database, type RowAppender, readSql } from '../../base/duckdb/database.js';
import { claimableCoins, valuationOf } from '../../holdings/day-holdings.js';
import type { Valuation } from '../../holdings/modules/delegation.js';
import { Denoms } from '../../holdings/values/decimal18.js';
import { groupRows } from '../../publish/group-rows.js';
import type { Piece, Pieces } from '../pieces.js';

interface MonthClose {
  readonly month: string;
  /** Height of the last block of the month's last whole day. */
  readonly height: number;
  /** Height of the close before. */
  readonly earlier: number;
  readonly content: string;
}

interface RewardInputs {
  readonly database: Database;
  readonly pieces: Pieces;
  /** Opens another database with the tables of the fold. */
  readonly openFolded: () => Promise<Database>;
  /** Height after which holdings are first known. */
  readonly opening: number;
  /** Month of the last block with holdings. Its rewards still change. */
  readonly openMonth: string;
  /** Denoms whose amounts are too large for the rows. */
  readonly oversized: readonly string[];
}

/**
 * Creates the view reward_months. A closed month is a piece, which a nightly run makes once. Only the open month is
 * computed every time.
 * @returns the key of each closed month's piece
 */
export async function makeRewardMonths(inputs: RewardInputs): Promise<ReadonlyMap<string, string>> {
  const { database, openFolded, pieces, opening, openMonth, oversized } = inputs;
  const closes = await database.all<MonthClose>(readSql('tables/reward_closes'), { opening });
  const program = cacheKey([fileURLToPath(import.meta.url)], []);
  const closed: Piece[] = [];
  let source: Database | undefined;
  await database.create('reward_months', 'month_rewards');
  try {
    for (const close of closes) {
      const make = async () => {
        source ??= await openFolded();
        await makeMonth(inputs, source, close, closed.at(-1));
      };
      if (close.month === openMonth) await make();
      else {
        const key = { program, close, before: closed.at(-1)?.key ?? null, oversized };
        const write = async (folder: string) => {
          await make();
          await database.keepSorted('month_rewards', rewardsFile({ folder }));
        };
        closed.push(await pieces.make('reward-months', key, write));
      }
    }
  } finally {
    source?.close();
  }
  if (closes.at(-1)?.month !== openMonth) await database.create('reward_months', 'month_rewards');
  await database.accumulate('month_rewards', closed.map(rewardsFile), 'reward_months');
  return new Map(closed.map(({ key }, i) => [closes[i]!.month, key]));
}

const rewardsFile = ({ folder }: Pick<Piece, 'folder'>): string => join(folder, 'reward_months.parquet');

/** Fills the table month_rewards. */
async function makeMonth(
  { database, opening, oversized }: RewardInputs,
  source: Database,
  { month, height, earlier }: MonthClose,
  before: Piece | undefined,
): Promise<void> {
  if (before) {
    await database.attach('reward_months', [rewardsFile(before)], 'earlier_rewards');
  } else {
    await appendClaimable(source, database, opening);
    await database.execute(
      'create or replace table earlier_rewards as select address, denom, amount as unclaimed from claimable',
    );
  }
  await appendClaimable(source, database, height);
  await database.run('tables/month_rewards', { month, height, earlier, oversized });
  await database.execute(before ? 'drop view earlier_rewards' : 'drop table earlier_rewards');
}

type Claimable = Omit<OpeningBalance, 'amount'> & { readonly amount: bigint | null };

/** Fills the table claimable with the reward that each delegation would pay after a day's last block. */
async function appendClaimable(source: Database, database: Database, height: number): Promise<void> {
  const denoms = new Denoms();
  const validators = new Map<string, Valuation>();
  await source.run('tables/ratio_text');
  for await (const rows of source.rows<ValidatorDay>('validator_days', readSql('tables/valuations_at'), { height })) {
    for (const row of rows) validators.set(row.validator, valuationOf(row, denoms));
  }
  const slashes = new Map<string, readonly ValidatorSlash[]>();
  for await (const [validator, rows] of groupRows(source.sorted<ValidatorSlash>('validator_slashes'), byValidator)) {
    slashes.set(validator, rows);
  }
  await database.create('opening_balances', 'claimable');
  const claimable: RowAppender<Claimable> = await database.appender('opening_balances', 'claimable');
  const sql = readSql('tables/rewards_at');
  for await (const rows of source.rows<DelegationInterval>('delegation_intervals', sql, { height })) {
    for (const row of rows) {
      const coins = claimableCoins(row, validators.get(row.validator)!, slashes.get(row.validator) ?? [], denoms);
      for (const [denom, amount] of coins.entries()) {
        if (amount !== 0n) claimable.add({ address: row.delegator, denom: denoms.name(denom), amount });
      }
    }
  }
  claimable.close();
}

const byValidator = ({ validator }: ValidatorSlash) => validator;
