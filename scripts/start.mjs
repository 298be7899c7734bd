/**
 * `npm start`: installs what is missing, builds, runs one night when no dataset of this version is there, serves, and says which URLs to
 * open. The HUBLEDGER_ variables alone decide what is read and where it goes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build/build.mjs';
import { COMMAND_LINE, ensureDataset } from './build/ensure-dataset.mjs';
import { ensureDependencies } from './build/ensure-dependencies.mjs';

/** Waits until this process listens. It makes no request, which another server on that port could answer. */
async function untilListening() {
  while (!process.getActiveResourcesInfo().includes('TCPServerWrap')) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Finds the example wallet of the dataset in force. */
async function sampleWallet({ dataDir, sample }) {
  const { openDataset } = await import('../dist/server/dataset/dataset.js');
  const { exampleWallet } = await import('../dist/server/dataset/example-wallet.js');
  const { loadReference } = await import('../dist/pipeline/reference.js');
  const generation = readFileSync(join(dataDir, 'CURRENT'), 'utf8').trim();
  const dataset = openDataset(dataDir, generation, loadReference());
  const address = exampleWallet(dataset, sample);
  await dataset.close();
  return address;
}

function announce(base, address) {
  const tax = `${base}/api/tax/v1`;
  console.log(`
hubledger is serving; open

  report      ${base}/#addresses=${address}
  events      ${tax}/events?address=${address}
  as CSV      ${tax}/events?address=${address}&format=csv
  journal     ${tax}/journal?address=${address}
  positions   ${tax}/positions?address=${address}
  summary     ${tax}/summary?address=${address}&format=csv
  reference   ${tax}/openapi.json
  state       ${base}/readyz

Ctrl-C stops it.`);
}

console.log('▸ dependencies');
ensureDependencies();
console.log('▸ build');
build();
const config = await ensureDataset();
console.log('▸ server');
process.argv = [process.execPath, COMMAND_LINE, 'serve'];
const ended = import('../dist/scripts/hubledger.js');
await Promise.race([ended, untilListening()]);
if (process.exitCode) process.exit();
announce(config.baseUrl, await sampleWallet(config));
await ended;
