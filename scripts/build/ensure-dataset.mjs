/** Sees to it that there is a dataset to serve, after a build. */
import { join } from 'node:path';
import { root, run } from './ensure-dependencies.mjs';

export const COMMAND_LINE = join(root, 'dist/scripts/hubledger.js');

/** Reads the configuration of this environment; a wrong variable is one line, not a stack. */
async function readConfiguration() {
  const { readConfig } = await import('../../dist/pipeline/config.js');
  const { VariableError } = await import('../../dist/pipeline/config-error.js');
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof VariableError)) throw error;
    console.error(`hubledger: ${error.message}`);
    process.exit(2);
  }
}

/** Tells whether the dataset there can be served as it is, without a replay under this program's versions. */
async function hasDataset(dataDir) {
  const { isUpToDate } = await import('../../dist/pipeline/publish/generation.js');
  const { loadReference } = await import('../../dist/pipeline/reference.js');
  return isUpToDate(dataDir, loadReference());
}

/** Runs one night when no dataset of this version is there. @returns the configuration */
export async function ensureDataset() {
  const config = await readConfiguration();
  if (await hasDataset(config.dataDir)) {
    console.log(`▸ dataset: the one in ${config.dataDir}`);
  } else {
    console.log(`▸ dataset: one night on ${config.sample ? 'the bundled sample' : config.rpcUrls.join(', ')}`);
    run(process.execPath, COMMAND_LINE, 'nightly');
  }
  return config;
}
