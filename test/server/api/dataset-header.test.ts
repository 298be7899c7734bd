/** X-Dataset on every answer that a generation gave: as JSON, as CSV, to a body, unchanged and refused (decision A13). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Endpoint } from '../../../server/api/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { createWidgetKey } from '../../../server/people/accounts/widget-keys.js';
import { OPERATORS, startServer, type TestServer, WALLETS } from '../harness.js';
import { posting } from '../people/accounts/signed-in.js';
import { generationOf, HEIGHT } from '../published.js';

let server: TestServer;
let key: string;
before(async () => {
  server = await startServer();
  ({ key } = await createWidgetKey(server.store, { validator: OPERATORS.alpha, origins: [] }, new Date()));
});
after(() => server.close());

const ofDataset = endpoints.filter((endpoint): endpoint is Endpoint => endpoint.kind === 'dataset');

/** Values of the parameters that must be given. */
const values = (): Record<string, string> => ({
  address: WALLETS.short,
  single_address: WALLETS.short,
  validator: OPERATORS.alpha,
  api_key: key,
  import_profile: 'koinly',
  country: 'US',
  tax_year: '2026',
});

/** The query of an endpoint with what it requires. */
const queryOf = ({ parameters }: Endpoint): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values())
      .filter(([name]) => (parameters as readonly string[]).includes(name))
      .map(([name, value]) => [name.replace(/^(single|import|tax)_/, ''), value]),
  );

for (const endpoint of ofDataset) {
  test(`${endpoint.path} names its generation in every answer`, async () => {
    const { path, csv, post, volatile, access } = endpoint;
    const ask = async (query: Record<string, string>, init?: RequestInit) => {
      const answer = await server.ask(`${path}?${new URLSearchParams(query)}`, init);
      const named = JSON.parse(answer.headers.get('x-dataset')!);
      assert.deepEqual(named, { generation: generationOf(HEIGHT), height: HEIGHT });
      return answer;
    };
    const query = queryOf(endpoint);
    const { status, headers } = await ask(query);
    assert.equal(status, 200);
    const table = { ...query, format: 'csv', ...(endpoint.parameters.includes('section') && { section: 'income' }) };
    if (csv) assert.match((await ask(table)).headers.get('content-type')!, /^text\/csv/);
    // A key stays in the query (x-query-only).
    const { api_key: given, ...body } = query;
    if (post) assert.equal((await ask(given ? { api_key: given } : {}, posting(body))).status, 200);
    if (endpoint.parameters.includes('chain')) assert.equal((await ask({ ...query, chain: 'osmosis' })).status, 400);
    if (volatile || access === 'widget') return;
    assert.equal((await ask(query, { headers: { 'if-none-match': headers.get('etag')! } })).status, 304);
  });
}
