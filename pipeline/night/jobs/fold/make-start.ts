import { mkdirSync, writeFileSync } from 'node:fs';
import type { OpeningBalance, OpeningDeposit, ValidatorName } from '../../../../schemas/types.generated.js';
import { ConfigError } from '../../../base/config-error.js';
import { removeFolder, unfinished } from '../../../base/disk/atomic-files.js';
import { writeLines } from '../../../base/disk/lines.js';
import { sealFolder } from '../../../base/disk/sealed-folder.js';
import { Database } from '../../../base/duckdb/database.js';
import { TOO_LARGE } from '../../../base/values/amount.js';
import { startingDifferences } from '../../../holdings/check-sums.js';
import { serializeState } from '../../../holdings/checkpoint.js';
import { emitDay, startingRows } from '../../../holdings/modules/stake-rows.js';
import { loadStartingState } from '../../../holdings/start/load-starting-state.js';
import type { Start, TokenIdentity } from '../../../holdings/start/starting-state.js';
import type { HoldingsTable, HoldingsTables } from '../../../holdings/state.js';
import { StartingStateError } from '../../../holdings/values/json-item.js';
import { checkpointFile, HoldingsFolder, ROWS_DATABASE, startFile, writeRows } from './holdings-folder.js';

const NO_DAY = '0001-01-01';

const START_TABLES = [
  'opening_balances',
  'opening_deposits',
  'validator_slashes',
  'reward_ratios',
  'validator_days',
  'validator_names',
];

export interface StartJob {
  readonly source: string;
  readonly folder: string;
}

export async function makeStart({ source, folder }: StartJob): Promise<void> {
  const target = new HoldingsFolder(folder).start;
  const making = unfinished(target);
  mkdirSync(making, { recursive: true });
  const database = await Database.open(`${making}-spill`, ROWS_DATABASE);
  try {
    for (const table of START_TABLES) await database.create(table);
    const start = await readInto(database, source, making);
    for (const table of START_TABLES) await writeRows(database, table, making);
    writeFileSync(startFile(making), JSON.stringify(start));
    removeFolder(target); // an existing folder here is always damaged
    await sealFolder(making, target);
  } catch (error) {
    throw error instanceof StartingStateError ? new ConfigError(`HUBLEDGER_GENESIS: ${error.message}`) : error;
  } finally {
    database.close();
  }
}

async function readInto(database: Database, source: string, folder: string): Promise<Start> {
  const balances = await database.appender<OpeningBalance>('opening_balances');
  const deposits = await database.appender<OpeningDeposit>('opening_deposits');
  const ofState = {
    validator_slashes: await database.appender<HoldingsTables[HoldingsTable]>('validator_slashes'),
    reward_ratios: await database.appender<HoldingsTables[HoldingsTable]>('reward_ratios'),
  };
  const validators = await database.appender<HoldingsTables['validator_days']>('validator_days');
  const names = await database.appender<ValidatorName>('validator_names');
  const named: Pick<ValidatorName, 'validator' | 'moniker'>[] = [];
  const oversized = new Set<string>();
  const identities: TokenIdentity[] = [];
  const voucherTraces: string[] = [];
  const { chainId, state } = await loadStartingState(source, {
    onBalance(address, denom, amount) {
      if (amount >= TOO_LARGE) oversized.add(denom);
      else if (amount !== 0n) balances.add({ address, denom, amount });
    },
    onDeposit(proposal, address, denom, amount) {
      if (amount < TOO_LARGE) deposits.add({ proposal, address, denom, amount });
    },
    onValidator: (validator, moniker) => named.push({ validator, moniker }),
    onIdentity: (identity) => identities.push(identity),
    onVoucherTrace: (trace) => voucherTraces.push(trace),
  });
  startingRows(state, (table, row) => ofState[table as keyof typeof ofState].add(row));
  emitDay({ ...state, day: NO_DAY }, (_, row) => validators.add(row as HoldingsTables['validator_days']));
  for (const [position, name] of named.entries()) names.add({ height: state.height, position, ...name });
  for (const appender of [balances, deposits, validators, names, ...Object.values(ofState)]) appender.close();
  writeLines(checkpointFile(folder), serializeState(state));
  const differences = startingDifferences(state);
  return { chainId, height: state.height, oversized: [...oversized].sort(), differences, identities, voucherTraces };
}
