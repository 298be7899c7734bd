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

/**
 * Chooses a wallet with rewards: the one with the fewest flagged receipts, and of such the one nearest to thirty rows. Strangers send
 * advertising to every operator that they find, so that on a real chain none may be free of it. It asks the wallet index, so that no
 * request is charged to anybody's quota.
 * @param sample whether the chain is the bundled recording, whose people are made up; on a real chain only operators are shown, whose
 * addresses are public anyway
 * @returns undefined where no wallet of the dataset is fit
 */
export function exampleWallet(dataset: Dataset, sample: boolean): string | undefined {
  return (sample ? sampleWallets() : [...dataset.validators().keys()].map(operatorAccount))
    .filter((address) => dataset.rows(address) > 0)
    .map((address) => ({
      address,
      flagged: dataset.flagged(address).length,
      distance: Math.abs(dataset.rows(address) - ROWS_WANTED),
    }))
    .sort((a, b) => a.flagged - b.flagged || a.distance - b.distance)
    .find(({ address }) => hasReward(dataset, address))?.address;
}

function hasReward(dataset: Dataset, address: string): boolean {
  for (const { category } of walletEvents(dataset, address)) if (REWARDS.includes(category)) return true;
  return false;
}

function sampleWallets(): string[] {
  const file = join(projectRoot(), 'data/sample/wallets.json');
  const wallets: { address: string; role: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  return wallets.filter(({ role }) => role === 'regular').map(({ address }) => address);
}
