import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf } from '../../../server/http/request-input.js';

test('the path of a URL as sent, also of a whole one', () => {
  for (const [url, path] of [
    ['/a/b?c#d', '/a/b'],
    ['http://proxy.example:80/a?b', '/a'],
    ['HTTPS://x?y', '/'],
    ['*', '*'],
    ['proxy.example:443', 'proxy.example:443'],
    ['', ''],
  ] as const)
    assert.equal(pathOf(url), path, url);
});

test('a host is not parsed: to encode one of thousands of different letters takes an eighth of a second', ({
  mock,
}) => {
  const parsed = mock.method(globalThis, 'URL');
  const canParse = mock.method(URL, 'canParse');
  const host = encodeURIComponent(String.fromCodePoint(...Array.from({ length: 6900 }, (_, i) => 0x4e00 + i)));
  assert.equal(pathOf(`http://${host}/a`), '/a');
  assert.deepEqual([parsed.mock.callCount(), canParse.mock.callCount()], [0, 0]);
});
