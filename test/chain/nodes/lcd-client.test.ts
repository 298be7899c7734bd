import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { LcdClient } from '../../../pipeline/chain/nodes/lcd-client.js';
import { NodeState } from '../../../pipeline/tracked-wallets/node-facts.js';

const HEIGHT = 1000;
type Answer = (path: string, query: URLSearchParams) => unknown;

const coins = (amount: unknown, next: string | null = null) => ({
  balances: [{ denom: 'uatom', amount }],
  pagination: { next_key: next },
});

/** A sound node: a wallet with 7 uatom and three signed transactions. */
const honest: Answer = (path) => {
  if (path.includes('/balances/')) return coins('7');
  if (path.includes('/rewards')) {
    const reward = [{ denom: 'uatom', amount: '1.500000000000000000' }];
    return { rewards: [{ validator_address: 'cosmosvaloper1a', reward }], total: reward };
  }
  if (path.includes('/unbonding')) return { unbonding_responses: [] };
  if (path.includes('/delegations/')) return { delegation_responses: [] };
  return { account: { address: 'cosmos1a', sequence: '3' } };
};

/** @returns the node's URL; a promise as answer never ends */
async function start(context: TestContext, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://node');
    const body = answer(pathname, searchParams);
    if (body instanceof Promise) return;
    const height = String(request.headers['x-cosmos-block-height'] ?? '');
    response.writeHead(200, { 'x-cosmos-block-height': height }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const walletOf = (...urls: string[]) => new NodeState(new LcdClient(urls), 'uatom').wallet('cosmos1a', HEIGHT);

const ofBalances =
  (answer: (query: URLSearchParams) => unknown): Answer =>
  (path, query) =>
    path.includes('/balances/') ? answer(query) : honest(path, query);

const LIES: Readonly<Record<string, Answer>> = {
  'an amount with a point': ofBalances(() => coins('1.5')),
  'an amount of 80 digits': ofBalances(() => coins('9'.repeat(80))),
  'pages without end': ofBalances((query) => coins('1', `${query.get('pagination.key') ?? ''}x`)),
  'a sequence of 2^53': (path, query) =>
    path.includes('/accounts/')
      ? { account: { address: 'cosmos1a', sequence: '9007199254740992' } }
      : honest(path, query),
  'a sequence of more transactions than fit into its blocks': (path, query) =>
    path.includes('/accounts/') ? { account: { address: 'cosmos1a', sequence: '500000000' } } : honest(path, query),
};

for (const [name, lie] of Object.entries(LIES)) {
  test(`the next node is asked after ${name}`, async (context) => {
    const wallet = await walletOf(await start(context, lie), await start(context, honest));
    assert.deepEqual([wallet?.balances.get('uatom'), wallet?.sequence, wallet?.reward], [7n, 3, 1n]);
  });
}
