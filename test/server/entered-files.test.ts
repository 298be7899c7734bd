/** Entered files: the number of files that a request passes through, since who follows one with a finger must reach its end. */
import assert from 'node:assert/strict';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer, WALLETS } from './harness.js';

const program = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const session = new Session();

let server: TestServer;
before(async () => {
  server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '60' } });
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
after(async () => {
  session.disconnect();
  await server.close();
});

/** The program's files of which a function runs while a path is answered, from server/ and pipeline/ alone. */
async function entered(path: string): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage'); // counts begin anew
  const answer = await fetch(server.base + path, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(answer.status, 200);
  await answer.text();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url).slice(program.length + 1)] : []))
    .filter((file) => /^(server|pipeline)\//.test(file))
    .sort();
}

test('a request that is answered from the cache enters at most 16 files', async () => {
  const path = `/api/tax/v1/events?address=${WALLETS.short}&type=rewards`;
  for (const _ of ['first', 'kept from now on']) await entered(path);
  const files = await entered(path);
  assert.ok(files.includes('server/routing/response-cache.js'));
  assert.ok(files.length <= 16, files.join('\n'));
});

test('a request with tags, of which one changes a row, enters at most 30 files, those of the ledger and its reports among them', async () => {
  const read = `/api/tax/v1/events?address=${WALLETS.light}`;
  const { events } = (await (await fetch(server.base + read)).json()) as { events: readonly Record<string, string>[] };
  const received = events.find(({ category }) => category === 'transfer_in')!;
  const tags = JSON.stringify({ [received.txHash!]: 'gift', ['AB'.repeat(32)]: 'gift' });
  const path = `${read}&tags=${encodeURIComponent(tags)}`;
  await entered(path);
  const files = await entered(path);
  assert.ok(files.includes('server/decisions/resolve-decisions.js') && files.includes('pipeline/ledger/treatment.js'));
  assert.ok(files.length <= 30, files.join('\n'));
});
