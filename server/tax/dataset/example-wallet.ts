/** Chooses the wallet that the report page shows as an example. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../pipeline/base/project.js';
import { operatorAccount } from '../../../pipeline/holdings/modules/validator.js';
import type { Dataset } from './dataset.js';
import { walletEvents } from './wallet-ledger.js';

const REWARDS: readonly string[] = ['staking_reward', 'validator_commission'];

const ROWS_WANTED = 30;

export interface Example {
  readonly address: string;
  /** Assumed purchases before the index. With them, the example has short-term and long-term gains. */
  readonly opening_lots: readonly OpeningLot[];
}

interface OpeningLot {
  readonly denom: string;
  readonly quantity: string;
  readonly acquired_date: string;
  readonly cost_basis_usd: string;
}

/**
 * Returns the example wallet. In the bundled recording, it is fixed. On a real chain, it is the wallet of a validator's
 * operator, whose address is public. A dataset of single wallets has no example, because its wallets are somebody's own.
 * @param sample true if the dataset is the bundled recording
 */
export function exampleWallet(dataset: Dataset, sample: boolean): Example | undefined {
  if (dataset.manifest.own_wallets) return undefined;
  if (!sample) return exampleOperator(dataset);
  const file = join(projectRoot(), 'data/sample/example.json');
  const example: Example = JSON.parse(readFileSync(file, 'utf8'));
  return dataset.rows(example.address) > 0 ? example : undefined;
}

/**
 * Chooses the wallet of a validator's operator. Prefers few flagged receipts, then a number of rows close to
 * ROWS_WANTED. Reads only the wallet index.
 */
function exampleOperator(dataset: Dataset): Example | undefined {
  const address = [...dataset.validators().keys()]
    .map(operatorAccount)
    .filter((account) => dataset.rows(account) > 0)
    .map((account) => ({
      account,
      flagged: dataset.flagged(account).length,
      distance: Math.abs(dataset.rows(account) - ROWS_WANTED),
    }))
    .sort((a, b) => a.flagged - b.flagged || a.distance - b.distance)
    .find(({ account }) => hasReward(dataset, account))?.account;
  return address === undefined ? undefined : { address, opening_lots: [] };
}

function hasReward(dataset: Dataset, address: string): boolean {
  for (const { category } of walletEvents(dataset, address)) if (REWARDS.includes(category)) return true;
  return false;
}
