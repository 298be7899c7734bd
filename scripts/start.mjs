/**
 * `npm start`: installs packages, builds, publishes a dataset if there is none of this version, starts the server, and
 * prints URLs to open.
 */
import './build/require-node.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build/build.mjs';
import { COMMAND_LINE, ensureDataset } from './build/ensure-dataset.mjs';
import { ensureDependencies } from './build/ensure-dependencies.mjs';

/**
 * Waits until this process listens on its port. A request would not prove this, because another server may respond on
 * the same port.
 */
async function untilListening() {
  while (!process.getActiveResourcesInfo().includes('TCPServerWrap')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the server has a dataset, if it follows another server. */
async function untilPublished({ dataDir }) {
  while (!existsSync(join(dataDir, 'CURRENT'))) await new Promise((resolve) => setTimeout(resolve, 500));
}

/** Returns the tracked wallets of the dataset, or its example wallet. */
async function findWallets({ dataDir, sample }) {
  const { openDataset } = await import('../dist/server/tax/dataset/dataset.js');
  const { exampleWallet } = await import('../dist/server/tax/dataset/example-wallet.js');
  const { loadReference } = await import('../dist/pipeline/reference.js');
  const generation = readFileSync(join(dataDir, 'CURRENT'), 'utf8').trim();
  const dataset = openDataset(dataDir, generation, loadReference());
  const tracked = dataset.manifest.own_wallets?.map(({ address }) => address);
  const example = exampleWallet(dataset, sample);
  await dataset.close();
  return { tracked, example };
}

async function announce({ baseUrl: base, rpcUrls, followUrl }, { tracked, example }) {
  const { readsNode } = await import('../dist/pipeline/config.js');
  const isLive = followUrl === undefined && readsNode({ rpcUrls });
  const { walletLinks } = await import('../dist/scripts/wallet-links.js');
  const tax = `${base}/api/tax/v1`;
  const { address, opening_lots } = example ?? (tracked ? { address: tracked[0] } : {});
  const lots = opening_lots?.length > 0 ? `&opening_lots=${encodeURIComponent(JSON.stringify(opening_lots))}` : '';
  const reports = tracked ? walletLinks(base, tracked) : [['report', `${base}/${example ? '#example' : ''}`]];
  const wallet = `
  events      ${tax}/events?address=${address}
  as CSV      ${tax}/events?address=${address}&format=csv
  journal     ${tax}/journal?address=${address}${lots}
  positions   ${tax}/positions?address=${address}${lots}
  summary     ${tax}/summary?address=${address}&format=csv${lots}`;
  console.log(`
hubledger is serving. Ctrl-C stops it. Open

${reports.map(([name, url]) => `  ${name.padEnd(11)} ${url}`).join('\n')}${address ? wallet : ''}
  reference   ${tax}/openapi.json
  state       ${base}/readyz
${isLive ? '\nTomorrow: npm start again fetches the new blocks. ./hubledger serve --with-schedule does so every day.\n' : ''}`);
}

console.log('▸ dependencies');
ensureDependencies();
console.log('▸ build');
build();
const config = await ensureDataset();
console.log('▸ server');
process.argv = [process.execPath, COMMAND_LINE, 'serve'];
const ended = import('../dist/scripts/hubledger.js');
await Promise.race([ended, untilListening().then(() => untilPublished(config))]);
if (process.exitCode) process.exit();
await announce(config, await findWallets(config));
await ended;
