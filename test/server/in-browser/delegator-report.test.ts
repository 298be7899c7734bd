/** A delegator's report in pages of a real browser: the browser judges the headers, not this test. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DelegatorReport } from '../../../schemas/types.generated.js';
import { createWidgetKey } from '../../../server/people/accounts/widget-keys.js';
import { programs } from '../../requirements.js';
import { OPERATORS, startServer, type TestServer, WALLETS } from '../harness.js';
import { BrowserPage } from './browser-page.js';

let own: BrowserPage;
let other: BrowserPage;
let server: TestServer;
let key: string;

/** The part of an answer that a page reads; `failure` where the browser keeps the answer from it. */
interface Read {
  readonly failure?: string;
  readonly status?: number;
  readonly body?: DelegatorReport & { code?: string };
  readonly left?: string;
  readonly retry?: string | null;
}

const READ = `
  const read = (url, init) => fetch(url, init).then(
    async (answer) => ({
      status: answer.status,
      body: await answer.json(),
      left: answer.headers.get('x-ratelimit-remaining'),
      retry: answer.headers.get('retry-after'),
    }),
    (error) => ({ failure: error.name }),
  );`;

const urlOf = (query: Record<string, string>) =>
  `${server.base}/api/tax/v1/delegator-report?${new URLSearchParams({ address: WALLETS.busy, ...query })}`;

type Asked = readonly [query: Record<string, string>, init?: RequestInit];

/** The requests of one page, one after the other. */
function reads(page: BrowserPage, asked: readonly Asked[]): Promise<Read[]> {
  const calls = asked.map(
    ([query, init = {}]) => `await read(${JSON.stringify(urlOf(query))}, ${JSON.stringify(init)})`,
  );
  return page.run(`${READ} return [${calls.join(', ')}];`);
}

/** Reads in a frame that the page has shut off: browsers send null as its origin. */
const readsInFrame = (page: BrowserPage, query: Record<string, string>): Promise<Read> =>
  page.run(`
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.srcdoc = '<script>onmessage = async ({ data }) => { ${READ.replaceAll('\n', ' ').replaceAll("'", '"')} parent.postMessage(await read(data), "*"); }</script>';
    document.documentElement.append(frame);
    await new Promise((resolve) => { frame.onload = resolve; });
    frame.contentWindow.postMessage(${JSON.stringify(urlOf(query))}, '*');
    return new Promise((resolve) => { onmessage = ({ data }) => resolve(data); });`);

/** Method and status of the server's answers since the last call. */
function answered(): string[] {
  const lines = server.log.slice(heard);
  heard = server.log.length;
  return lines.flatMap(({ method, status }) => (status === undefined ? [] : [`${method} ${status}`]));
}
let heard = 0;

const UNREADABLE = { failure: 'TypeError' };
const withHeader = { headers: { 'X-Request-Id': 'from-a-page' } };

for (const browser of programs('browser')) {
  describe('in a browser', () => {
    before(async () => {
      [own, other] = await Promise.all([BrowserPage.start(browser), BrowserPage.start(browser)]);
      server = await startServer({ environment: { HUBLEDGER_RATE_LIMIT: '7' } });
      const wanted = { validator: OPERATORS.alpha, origins: [own.origin] };
      ({ key } = await createWidgetKey(server.store, wanted, new Date('2026-06-01T00:00:00Z')));
    });
    after(() => Promise.all([own.stop(), other.stop(), server.close()]));

    test('pages of other origins, and frames without one, read only that they are refused', async () => {
      const [refused, preflighted] = await reads(other, [[{ api_key: key }], [{ api_key: key }, withHeader]]);
      assert.deepEqual([refused!.status, refused!.body!.code], [403, 'forbidden']);
      assert.deepEqual(preflighted, UNREADABLE);
      assert.deepEqual(answered(), ['GET 403', 'OPTIONS 204'], 'the preflight kept the second one back');
      assert.equal((await readsInFrame(own, { api_key: key })).body!.code, 'forbidden');
      assert.deepEqual(answered(), ['GET 403']);
    });

    test('a page of the key reads its report and its quota, until that is used up', async () => {
      const [report, preflighted, signedIn, keyless, wrong, last] = await reads(own, [
        [{ api_key: key }],
        [{ api_key: key }, withHeader],
        [{ api_key: key }, { credentials: 'include' }],
        [{}],
        [{ api_key: key, address: 'cosmos1' }],
        [{ api_key: key }],
      ]);
      const { rewards_amount, taxable_events, price_missing_rows } = report!.body!;
      assert.deepEqual([report!.status, rewards_amount, taxable_events, price_missing_rows], [200, '0.009541', 6, 0]);
      assert.deepEqual([report!.left, preflighted!.left], ['4', '3'], 'preflights are not charged');
      assert.deepEqual(preflighted!.body, report!.body);
      assert.deepEqual(signedIn, UNREADABLE, 'no credentials');
      assert.deepEqual([keyless!.status, keyless!.body!.code], [401, 'unauthorized']);
      assert.deepEqual([wrong!.status, wrong!.body!.code], [400, 'bad_request']);
      assert.deepEqual([last!.status, last!.body!.code], [429, 'rate_limited']);
      assert.ok(Number(last!.retry) >= 1);
      const statuses = ['GET 200', 'OPTIONS 204', 'GET 200', 'GET 200', 'GET 401', 'GET 400', 'GET 429'];
      assert.deepEqual(answered(), statuses);
    });
  });
}
