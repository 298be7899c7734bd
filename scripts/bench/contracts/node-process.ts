/**
 * A node's REST endpoint that knows no chain: every contract answers every query, with the port that answered. It tells its port
 * as soon as it listens. A message makes it well or sick, and is answered with the number of queries since the last one.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A way in which the node can fail those who ask it. */
export type Sickness = 'dead' | 'slow' | 'malformed' | 'of another chain' | 'an hour behind' | 'limiting requests';

const HEIGHT = 31_000_000;
const HOUR = { blocks: 600, milliseconds: 3_600_000 };
const SLOW_MS = 1500;
const LATEST_BLOCK = '/cosmos/base/tendermint/v1beta1/blocks/latest';

let port = 0;
let sickness: Sickness | undefined;
let asked = 0;

function latestBlock(): object {
  const [chain_id, late] = [sickness === 'of another chain' ? 'other-1' : 'cosmoshub-4', sickness === 'an hour behind'];
  const time = new Date(Date.now() - (late ? HOUR.milliseconds : 0)).toISOString();
  return { block: { header: { chain_id, height: String(HEIGHT - (late ? HOUR.blocks : 0)), time } } };
}

function answerTo(path: string): object {
  if (path === LATEST_BLOCK) return latestBlock();
  asked++;
  if (path.includes('/smart/')) return { data: { port } };
  if (path.includes('/contract/'))
    return { address: path.split('/').at(-1), contract_info: { code_id: '1', label: '' } };
  return { code_infos: [{ code_id: '1' }], pagination: { next_key: null, total: '1' } };
}

function send(response: ServerResponse, body: string): void {
  const latest = HEIGHT - (sickness === 'an hour behind' ? HOUR.blocks : 0);
  const height = response.req.headers['x-cosmos-block-height'] ?? String(latest);
  response.writeHead(200, { 'content-type': 'application/json', 'x-cosmos-block-height': height }).end(body);
}

const server = createServer(({ url }, response) => {
  const text = JSON.stringify(answerTo(url!.split('?')[0]!));
  if (sickness === 'limiting requests') response.writeHead(429, { 'retry-after': '1' }).end();
  else if (sickness === 'malformed') send(response, text.slice(0, -3));
  else if (sickness === 'slow') setTimeout(() => send(response, text), SLOW_MS);
  else send(response, text);
});

async function become(next: Sickness | undefined): Promise<void> {
  if (next === 'dead') {
    server.close();
    server.closeAllConnections();
  } else if (sickness === 'dead') {
    await listen();
  }
  sickness = next;
}

/** Listens, each time on the same port. */
async function listen(): Promise<void> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
}

process.once('disconnect', () => process.exit());
process.on('message', async ({ sick }: { sick?: Sickness }) => {
  await become(sick);
  process.send!(asked);
  asked = 0;
});
await listen();
process.send!({ port });
