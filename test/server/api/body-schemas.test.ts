import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireValidBody } from '../../../server/api/body-schemas.js';
import { Problem } from '../../../server/http/problem.js';

test('what is wrong with a body is said in words', () => {
  const url = 'https://hooks.example/x';
  const cases = [
    ['webhook-change', {}, '', 'must not be empty'],
    ['webhook', { url, events: [] }, 'events', 'must not be empty'],
    ['webhook', { url, events: ['release.published', 'release.published'] }, 'events', 'contains a duplicate'],
    [
      'webhook',
      { url: `${url}\u0000`, events: ['webhook.test'] },
      'url',
      'does not match its pattern: see the OpenAPI document',
    ],
    ['api-key', { name: '', scopes: ['tax:read'] }, 'name', 'must not be empty'],
    [
      'api-key',
      { name: 'k', scopes: ['tax:read'], expires_at: '2027-01-31' },
      'expires_at',
      'must be an RFC 3339 instant, such as 2027-01-31T00:00:00Z',
    ],
    [
      'submission',
      { kind: 'name', contract_address: 'cosmos1', note: 'n' },
      'kind',
      'must be validator_jurisdiction or contract_label',
    ],
    ['api-key', { name: 7, scopes: ['tax:read'] }, 'name', 'must be string'],
  ] as const;
  for (const [name, body, path, message] of cases) {
    assert.throws(
      () => requireValidBody(name, body),
      (error) => {
        assert.ok(error instanceof Problem);
        assert.deepEqual(error.extras.errors, [{ path, message }]);
        assert.equal(error.detail, path === '' ? `the body ${message}` : `${path}: ${message}`);
        return true;
      },
    );
  }
});
