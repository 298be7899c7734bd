import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseItem } from 'structured-headers';
import type { Endpoint, Retirement } from '../../../server/api/endpoint.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { startServer } from '../harness.js';

const announced: Retirement = {
  deprecatedOn: '2026-05-01',
  sunsetOn: '2026-08-01',
  successor: '/api/tax/v1/tags',
  changelog: '/docs/changelog#old-tags',
};

const retired = (retirement: Retirement): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path: '/old-tags',
  summary: 'Tags as they were.',
  parameters: ['chain'],
  response: 'tags',
  policy: 'tax',
  retirement,
  handle: () => ({ json: { key_forms: [], tags: [], usage: '' } }),
});

test('every answer of an endpoint that goes says when, and what takes its place', async (t) => {
  const server = await startServer({
    endpoints: [...endpoints, retired(announced)],
    environment: { HUBLEDGER_NOW: '2026-07-31T23:59:59Z', HUBLEDGER_RATE_LIMIT: '4' },
  });
  t.after(() => server.close());
  const fresh = await server.ask('/old-tags'); // the document is asked for after it
  const answers = [
    fresh,
    await server.ask('/old-tags', { headers: { 'if-none-match': fresh.headers.get('etag')! } }),
    await server.ask('/old-tags?chain=', { method: 'HEAD' }),
    await server.ask('/old-tags', { method: 'OPTIONS' }),
    await server.ask('/old-tags'),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 304, 400, 204, 429],
  );
  for (const { headers } of answers) {
    const [deprecation] = parseItem(headers.get('deprecation') ?? '');
    assert.equal((deprecation as Date).toISOString(), '2026-05-01T00:00:00.000Z');
    assert.equal(headers.get('sunset'), 'Sat, 01 Aug 2026 00:00:00 GMT');
    assert.equal(
      headers.get('link'),
      '<https://tax.example/docs/changelog#old-tags>; rel="deprecation"; type="text/html", <https://tax.example/api/tax/v1/tags>; rel="successor-version"',
    );
    assert.match(headers.get('access-control-expose-headers') ?? '', /Link, Deprecation, Sunset/);
  }
  const others = await server.ask('/healthz');
  for (const name of ['deprecation', 'sunset', 'link']) assert.equal(others.headers.get(name), null);
});

test('from its day on it is gone, and says where to go', async (t) => {
  const server = await startServer({
    endpoints: [...endpoints, retired(announced)],
    environment: { HUBLEDGER_NOW: '2026-08-01T00:00:00Z', HUBLEDGER_RATE_LIMIT: '100' },
  });
  t.after(() => server.close());
  for (const init of [{}, { headers: { 'if-none-match': '*' } }, { method: 'POST' }]) {
    const gone = await server.ask('/old-tags', init);
    assert.equal(gone.status, 410);
    assert.equal(gone.json().code, 'gone');
    assert.match(
      gone.headers.get('link') ?? '',
      /<https:\/\/tax\.example\/api\/tax\/v1\/tags>; rel="successor-version"/,
    );
    assert.ok(gone.headers.get('ratelimit'));
  }
});

test('the interface’s own documents show it', async (t) => {
  const server = await startServer({ endpoints: [...endpoints, retired(announced)] });
  t.after(() => server.close());
  const { paths } = (await server.ask('/api/tax/v1/openapi.json')).json();
  assert.equal(paths['/old-tags'].get.deprecated, true);
  assert.ok(paths['/old-tags'].get.responses['410']);
  assert.equal(paths['/api/tax/v1/tags'].get.deprecated, undefined);
  const { text } = await server.ask('/llms.txt');
  assert.match(
    text,
    /\/old-tags\n\nTags as they were\.\n\nDeprecated: answered until 2026-08-01; use \/api\/tax\/v1\/tags\.\n/,
  );
});

test('nothing goes with less than 90 days’ notice', async () => {
  const start = (sunsetOn: string) =>
    startServer({ endpoints: [retired({ ...announced, deprecatedOn: '2026-05-01', sunsetOn })], published: false });
  await assert.rejects(start('2026-07-29'), /89 days/);
  await assert.rejects(start('2026-04-01'), /-30 days/);
  await assert.rejects(start('soon'), /NaN days/);
  await (await start('2026-07-30')).close();
});
