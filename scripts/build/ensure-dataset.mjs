import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './ensure-dependencies.mjs';

export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
export const COMMAND_LINE = join(root, 'dist/scripts/hubledger.js');

async function readConfiguration() {
  const { readConfig } = await import('../../dist/pipeline/config.js');
  const { VariableError } = await import('../../dist/pipeline/base/config-error.js');
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof VariableError)) throw error;
    console.error(`hubledger: ${error.message}`);
    process.exit(2);
  }
}

async function hasDataset({ dataDir, wallets }) {
  const { isUpToDate, lastGeneration } = await import('../../dist/pipeline/publish/generation.js');
  const { loadReference } = await import('../../dist/pipeline/reference.js');
  if (!isUpToDate(dataDir, loadReference())) return false;
  const published = lastGeneration(dataDir).manifest.own_wallets?.map(({ address }) => address);
  return String(published) === String(wallets);
}

/** Runs `hubledger nightly` and forwards signals to it. Otherwise the nightly run would outlive this process. */
async function runNight() {
  const night = spawn(process.execPath, [COMMAND_LINE, 'nightly'], { cwd: root, stdio: 'inherit' });
  const pass = (signal) => night.kill(signal);
  for (const signal of END_SIGNALS) process.on(signal, pass);
  const [code, signal] = await once(night, 'exit');
  for (const name of END_SIGNALS) process.off(name, pass);
  if (signal) process.kill(process.pid, signal);
  if (code !== 0) process.exit(code ?? 1);
}

/**
 * Runs `hubledger nightly` if the data folder has no dataset of this version. Does nothing if the server follows
 * another server.
 * @returns the configuration
 */
export async function ensureDataset() {
  const config = await readConfiguration();
  if (config.followUrl !== undefined) {
    console.log(`▸ dataset: from ${config.followUrl}`);
  } else if (await hasDataset(config)) {
    console.log(`▸ dataset: the one in ${config.dataDir}`);
  } else {
    console.log(
      `▸ dataset: one nightly run on ${config.sample ? 'the bundled sample' : config.rpcUrls.map((url) => new URL(url).host || url).join(', ')}`,
    );
    await runNight();
  }
  return config;
}
