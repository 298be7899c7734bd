import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { forwardedAddress, forwardedValue } from '../../../server/http/client-address.js';

test('the key of an address', () => {
  const keys: [string, string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:5000', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:102:304', '1.2.3.4'],
    ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
    ['[2001:db8:1:2ff::1]:5000', '2001:db8:1:200::/56'],
    ['2001:0DB8:0001:0200:0:0:0:1', '2001:db8:1:200::/56'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56'],
    ['::1', '0:0:0:0::/56'],
    ['::', '0:0:0:0::/56'],
    ['2001::', '2001:0:0:0::/56'],
    ['1::2:3:4:5:6:7', '1:0:2:0::/56'],
    ['1:2:3:4:5:6:203.0.113.7', '1:2:3:0::/56'],
    ['unknown', '192.0.2.1'],
    ['', '192.0.2.1'],
    ['203.0.113.700', '192.0.2.1'],
  ];
  for (const [text, key] of keys) {
    const request = { headers: { 'x-forwarded-for': text }, socket: { remoteAddress: '::ffff:192.0.2.1' } };
    assert.equal(forwardedAddress(request as unknown as IncomingMessage, 1), key, text);
  }
});

test('only what trusted proxies wrote is believed', () => {
  assert.equal(forwardedValue('a, b, c', 0), undefined);
  assert.equal(forwardedValue(undefined, 1), undefined);
  assert.equal(forwardedValue('a, b, c', 1), 'c');
  assert.equal(forwardedValue('a, b,c', 2), 'b');
  assert.equal(forwardedValue('a', 2), 'a');
});
