import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PROBLEM_KINDS, problemMembers } from '../../../server/http/problem.js';
import { startServer, type TestAnswer, type TestServer } from '../harness.js';

let server: TestServer;
let page: Pick<TestAnswer, 'status' | 'headers' | 'text'>;
before(async () => {
  server = await startServer();
  const response = await fetch(`${server.base}/docs/conventions`);
  page = { status: response.status, headers: response.headers, text: await response.text() };
});
after(() => server.close());

test('every code has its entry, where the type of its problems leads', async () => {
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const entries = [...page.text.matchAll(/<h3 id="(\w+)"><a href="#\w+">(\d{3}) ([^<]+)<\/a><\/h3>/g)];
  assert.deepEqual(
    entries.map(([, code, status, title]) => [code, Number(status), title]),
    Object.entries(PROBLEM_KINDS).map(([code, { status, title }]) => [code, status, title]),
  );
  const { type } = (await server.ask('/nowhere')).json();
  const { origin, pathname, hash: anchor } = new URL(type);
  assert.equal(origin, 'https://tax.example');
  assert.equal(await (await fetch(server.base + pathname)).text(), page.text);
  assert.ok(entries.some(([, code]) => `#${code}` === anchor));
});

test('every member and header is explained, the ones that go with their date', () => {
  for (const name of [
    ...problemMembers('2026-06-01').map(([name]) => name),
    'Retry-After',
    'RateLimit',
    'Deprecation',
    'Sunset',
  ]) {
    assert.match(page.text, new RegExp(`<dt><code>${name}</code></dt><dd>[^<]`), name);
  }
  for (const name of ['error', 'success']) {
    assert.match(page.text, new RegExp(`<code>${name}</code></dt><dd>[^/]*Removed on 2027-04-01\\.`));
  }
});

test('the page is whole', () => {
  assert.doesNotMatch(page.text, /undefined|<script(?![^>]* src=)|\bon\w+=/);
  const withoutEnd = ['meta', 'link', 'input'];
  const tags = [...page.text.matchAll(/<(\/?)(\w+)[^>]*>/g)].filter(([, , name]) => !withoutEnd.includes(name!));
  const open: string[] = [];
  for (const [, closes, name] of tags) {
    if (closes) assert.equal(open.pop(), name);
    else open.push(name!);
  }
  assert.deepEqual(open, []);
});
