/** Stand-ins send the same bytes as the server, so that the comparison is fair. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { stop } from '../../../scripts/bench/measured.js';
import { askFor, type Running, STAND_IN_NAMES, startStandIn } from '../../../scripts/bench/servers.js';
import { startServer, type TestServer, WALLETS } from '../../server/harness.js';

const PATH = `/api/tax/v1/events?address=${WALLETS.busy}`;
const CSV = `${PATH}&format=csv`;

let server: TestServer;
const workDir = mkdtempSync(join(tmpdir(), 'stand-ins-'));
before(async () => {
  server = await startServer({
    environment: { HUBLEDGER_RATE_LIMIT: '1000000000', HUBLEDGER_BASE_URL: 'http://localhost' },
  });
});
after(async () => {
  await server.close();
  rmSync(workDir, { recursive: true });
});

async function withStandIn(name: (typeof STAND_IN_NAMES)[number], path: string, look: (url: string) => Promise<void>) {
  const running: Running = await startStandIn({ workDir }, name, { url: server.base }, path);
  await look(running.url).finally(() => stop(running.process));
}

for (const name of STAND_IN_NAMES) {
  test(`${name}: sends the server's bytes and type, and 304 for a known ETag`, async () => {
    for (const path of [PATH, CSV]) {
      const own = await askFor(200, server.base + path);
      await withStandIn(name, path, async (url) => {
        const answer = await askFor(200, url + path);
        assert.equal(answer.headers['content-encoding'], 'gzip');
        assert.deepEqual(gunzipSync(answer.body), gunzipSync(own.body));
        for (const header of ['content-type', 'content-disposition', 'cache-control', 'etag'])
          assert.equal(answer.headers[header], own.headers[header], header);
        const known = await askFor(304, url + path, { 'if-none-match': own.headers.etag! });
        assert.equal(known.body.length, 0);
      });
    }
  });
}

test('the ordinary stack sends every header that the server sends', async () => {
  const own = await askFor(200, server.base + PATH);
  await withStandIn('ordinary Koa stack', PATH, async (url) => {
    const { headers } = await askFor(200, url + PATH);
    assert.deepEqual(
      Object.keys(own.headers).filter((header) => headers[header] === undefined),
      [],
    );
    const exposed = 'access-control-expose-headers';
    assert.equal(headers[exposed], own.headers[exposed]);
    const varied = headers.vary!.split(', ');
    for (const name of own.headers.vary!.split(', ')) assert.ok(varied.includes(name), name);
    const again = await askFor(200, url + PATH);
    const remaining = 'x-ratelimit-remaining';
    assert.equal(Number(again.headers[remaining]), Number(headers[remaining]) - 1, 'each request is charged');
    assert.notEqual(again.headers['x-request-id'], headers['x-request-id']);
    assert.equal((await askFor(200, url + PATH, { 'x-request-id': 'mine' })).headers['x-request-id'], 'mine');
    await askFor(404, `${url}/elsewhere`);
    assert.equal(
      (await askFor(200, url + PATH, { 'accept-encoding': 'identity' })).headers['content-encoding'],
      undefined,
    );
  });
});
