import { join } from 'node:path';
import { root } from './ensure-dependencies.mjs';

export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
export const COMMAND_LINE = join(root, 'dist/scripts/hubledger.js');

/** Returns the configuration, and the nightly run that is due. A wrong variable ends this process. */
async function readConfiguration() {
  const { readConfig } = await import('../../dist/pipeline/config.js');
  const { VariableError } = await import('../../dist/pipeline/base/config-error.js');
  const { loadReference } = await import('../../dist/pipeline/reference.js');
  const { nightDue } = await import('../../dist/scripts/schedule/night-due.js');
  try {
    const config = readConfig();
    return { config, due: config.followUrl === undefined ? nightDue(config, loadReference()) : undefined };
  } catch (error) {
    if (!(error instanceof VariableError)) throw error;
    console.error(`hubledger: ${error.message}`);
    process.exit(2);
  }
}

/**
 * Runs `hubledger nightly` if the data folder has no dataset of this version, or if the last block of a dataset from a
 * node is more than a day old. Does nothing if the server follows another server.
 * @returns the configuration
 */
export async function ensureDataset() {
  const { config, due } = await readConfiguration();
  if (config.followUrl !== undefined) {
    console.log(`▸ dataset: from ${config.followUrl}`);
  } else if (due === undefined) {
    console.log(`▸ dataset: the one in ${config.dataDir}`);
  } else {
    const source = config.sample
      ? 'the bundled sample'
      : config.rpcUrls.map((url) => new URL(url).host || url).join(', ');
    console.log(`▸ dataset: one nightly run on ${source}, because ${due.reason}`);
    const { runDueNight } = await import('../../dist/scripts/due-night.js');
    await runDueNight(due);
  }
  return config;
}
