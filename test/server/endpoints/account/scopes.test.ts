/** Scopes of keys: what a key without the scope of an endpoint is answered, and that a session needs none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActionEndpoint } from '../../../../server/api/endpoint.js';
import { savedEntryEndpoints } from '../../../../server/endpoints/saved.js';
import { submissionEndpoints } from '../../../../server/endpoints/submissions.js';
import { SCOPES } from '../../../../server/people/accounts/keys.js';
import { sharedServer, WALLETS } from '../../harness.js';
import { posting, signedIn, withKey } from '../../people/accounts/signed-in.js';

const server = sharedServer();
const changes = [...savedEntryEndpoints, ...submissionEndpoints].filter(
  ({ method, path }) => method !== 'GET' && !path.endsWith('/read'),
);

const bodies: Readonly<Record<string, object>> = {
  'saved-decisions': { address: WALLETS.light, decisions: {} },
  'saved-opening-lots': { address: WALLETS.light, opening_lots: [] },
  submission: { kind: 'validator_jurisdiction', contract_address: 'x', note: 'x' },
};

/** Sends a change to an endpoint. @returns status and code */
async function change({ method, path, body }: ActionEndpoint, headers: Readonly<Record<string, string>>) {
  const query = path.includes('/saved-') ? `?address=${WALLETS.light}` : '';
  const url = path.replace('{submission_id}', 'unknown') + query;
  const options = body === undefined ? { headers } : posting(bodies[body], headers);
  const { status, json, headers: sent } = await server.ask(url, { ...options, method });
  return [status, status < 400 ? undefined : json().code, sent.get('www-authenticate')];
}

test('a key needs tax:read to change what is saved, and no scope to send and withdraw corrections', async () => {
  assert.deepEqual(
    changes.map(({ method, path, caller }) => `${method} ${path} ${caller}`),
    [
      'DELETE /api/account/v1/saved tax:read',
      'PUT /api/tax/v1/saved-decisions tax:read',
      'POST /api/tax/v1/saved-decisions tax:read',
      'DELETE /api/tax/v1/saved-decisions tax:read',
      'PUT /api/tax/v1/saved-opening-lots tax:read',
      'POST /api/tax/v1/saved-opening-lots tax:read',
      'DELETE /api/tax/v1/saved-opening-lots tax:read',
      'POST /api/tax/v1/wasm/submissions account',
      'DELETE /api/tax/v1/wasm/submissions/{submission_id} account',
    ],
  );
  const others = await withKey(
    server,
    SCOPES.filter((scope) => scope !== 'tax:read'),
  );
  const reader = await withKey(server, ['tax:read']);
  const challenge = 'Bearer realm="api", error="insufficient_scope", scope="tax:read"';
  for (const endpoint of changes) {
    const name = `${endpoint.method} ${endpoint.path}`;
    const isSaved = endpoint.caller === 'tax:read';
    if (isSaved) assert.deepEqual(await change(endpoint, others), [403, 'insufficient_scope', challenge], name);
    for (const headers of [reader, await signedIn(server), ...(isSaved ? [] : [others])]) {
      const [status] = await change(endpoint, headers);
      assert.ok([200, 204, 404, 422].includes(Number(status)), `${name} ${status}`);
    }
  }
});
