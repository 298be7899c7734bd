/** `hubledger watch-releases`: looks for new releases of the node software, then exits. */
import type { Command } from 'commander';
import { requireLocks } from '../../pipeline/base/disk/lock.js';
import { watchReleases } from '../../pipeline/chain/watch-releases.js';
import { readConfig } from '../../pipeline/config.js';
import { loadReference } from '../../pipeline/reference.js';

/** Fetches and saves everything that is available. Sets exit code 1 if something could not be fetched. */
async function watchOnce(): Promise<void> {
  const config = readConfig();
  await requireLocks(config.dataDir); // fails before any request if the folder is not writable
  const { newest_release, node_version, pending_upgrade, error } = await watchReleases(config, loadReference());
  const upgrade = pending_upgrade && `; ${pending_upgrade.name} comes at height ${pending_upgrade.height}`;
  console.log(`newest release ${newest_release ?? 'unknown'}, node ${node_version ?? 'unknown'}${upgrade ?? ''}`);
  if (error === null) return;
  console.error(`hubledger: ${error}`);
  process.exitCode = 1;
}

export const examples = [''];

export function declare(command: Command): void {
  command.action(watchOnce);
}
