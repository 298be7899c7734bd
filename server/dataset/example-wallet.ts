/** The example wallet: a real one that shows what a report looks like, with enough rows to look at and little to decide first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorAccount } from '../../pipeline/holdings/modules/addresses.js';
import { projectRoot } from '../../pipeline/project.js';
import type { Dataset } from './dataset.js';
import { walletEvents } from './wallet-ledger.js';

const REWARDS: readonly string[] = ['staking_reward', 'validator_commission'];

/** Rows that a person reads at a glance. */
const ROWS_WANTED = 30;

export interface Example {
  readonly address: string;
  /** What the wallet's owner states about coins from before the index, so that the example shows gains of both terms. */
  readonly opening_lots: readonly OpeningLot[];
}

interface OpeningLot {
  readonly denom: string;
  readonly quantity: string;
  readonly acquired_date: string;
  readonly cost_basis_usd: string;
}

/**
 * Returns the example of a dataset: on the bundled recording the one in data/sample/example.json. On a real chain only operators are
 * shown, since their addresses are public anyway.
 * @param sample whether the dataset is the bundled recording
 * @returns undefined where no wallet of the dataset fits
 */
export function exampleWallet(dataset: Dataset, sample: boolean): Example | undefined {
  if (!sample) return exampleOperator(dataset);
  const file = join(projectRoot(), 'data/sample/example.json');
  const example: Example = JSON.parse(readFileSync(file, 'utf8'));
  return dataset.rows(example.address) > 0 ? example : undefined;
}

/**
 * Chooses an operator's wallet with rewards: the one with the fewest flagged receipts, then the one nearest to thirty rows. Strangers
 * send advertising to every operator, so perhaps no wallet is free of it. It reads the wallet index, which costs no caller's quota.
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
