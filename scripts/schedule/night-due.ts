import { type Config, readsNode } from '../../pipeline/config.js';
import { isUpToDate, lastGeneration } from '../../pipeline/publish/generation.js';
import { expectSameDataset } from '../../pipeline/publish/losses.js';
import type { Reference } from '../../pipeline/reference.js';
import { ageOf } from '../../server/tax/dataset/health.js';

const DAY_SECONDS = 86_400;

export interface DueNight {
  readonly reason: string;
  /** True if the dataset in the data folder can be served without the nightly run. */
  readonly canServe: boolean;
}

/**
 * Returns why a nightly run should start now: there is no dataset of this version or of these wallets, another node may
 * complete a wallet, or the last block is more than a day old.
 * @throws VariableError if the data folder has a dataset of another chain or mode
 */
export function nightDue(config: Config, reference: Reference): DueNight | undefined {
  const { dataDir, wallets, now } = config;
  expectSameDataset({ ...config, nodeChainId: config.nodeChainId ?? reference.chain.node_chain_id });
  if (!isUpToDate(dataDir, reference)) return { reason: 'there is no dataset of this version', canServe: false };
  const { manifest } = lastGeneration(dataDir)!;
  const published = manifest.own_wallets?.map(({ address }) => address);
  if (String(published) !== String(wallets)) {
    return { reason: 'the dataset has other wallets than HUBLEDGER_WALLETS', canServe: false };
  }
  const age = ageOf(manifest, now());
  if (readsNode(config) && age > DAY_SECONDS) {
    return { reason: `the last block is ${Math.floor(age / 3600)} hours old`, canServe: true };
  }
  const unproved = manifest.own_wallets?.find(({ state }) => state === 'incomplete' || state === 'complete');
  return unproved && { reason: `${unproved.address} is ${unproved.state}, not proved`, canServe: true };
}
