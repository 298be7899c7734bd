/** The example wallet: a real one that shows what a report looks like, with enough rows to look at and nothing to decide first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bech32 } from '@scure/base';
import { projectRoot } from '../../pipeline/project.js';
import type { Dataset } from './dataset.js';

/** Rows that a person reads at a glance. */
const ROWS_WANTED = 30;

/**
 * Chooses the wallet with rewards, without flagged receipts, and with about thirty rows. It asks the wallet index, so that no request is
 * charged to anybody's quota.
 * @param sample whether the chain is the bundled recording, whose people are made up; on a real chain only operators are shown, whose
 * addresses are public anyway
 * @returns undefined where no wallet of the dataset is fit
 */
export function exampleWallet(dataset: Dataset, sample: boolean): string | undefined {
  const distance = (address: string) => Math.abs(dataset.rows(address) - ROWS_WANTED);
  return (sample ? sampleWallets() : operatorWallets(dataset))
    .filter((address) => dataset.rows(address) > 0 && dataset.flagged(address).length === 0)
    .filter((address) => hasReward(dataset, address))
    .sort((a, b) => distance(a) - distance(b))[0];
}

function hasReward(dataset: Dataset, address: string): boolean {
  for (const segment of dataset.events(address)) {
    if (segment.some(({ category }) => category === 'staking_reward')) return true;
  }
  return false;
}

function sampleWallets(): string[] {
  const file = join(projectRoot(), 'data/sample/wallets.json');
  const wallets: { address: string; role: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  return wallets.filter(({ role }) => role === 'regular').map(({ address }) => address);
}

/** The account of an operator has the same bytes as its operator address. */
function operatorWallets(dataset: Dataset): string[] {
  const { bech32_prefix: prefix } = dataset.reference.chain;
  return [...dataset.validators().keys()].map((operator) => {
    const { words } = bech32.decode(operator as `${string}1${string}`);
    return bech32.encode(prefix, words);
  });
}
