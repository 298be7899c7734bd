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
const changes = [...savedEntryEndpoints, ...submissionEndpoints].filter(({ caller }) => caller === 'tax:write');

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

test('every change of what is saved or submitted needs tax:write by key', async () => {
  assert.deepEqual(
    changes.map(({ method, path }) => `${method} ${path}`),
    [
      'DELETE /api/account/v1/saved',
      'PUT /api/tax/v1/saved-decisions',
      'POST /api/tax/v1/saved-decisions',
      'DELETE /api/tax/v1/saved-decisions',
      'PUT /api/tax/v1/saved-opening-lots',
      'POST /api/tax/v1/saved-opening-lots',
      'DELETE /api/tax/v1/saved-opening-lots',
      'POST /api/tax/v1/wasm/submissions',
      'DELETE /api/tax/v1/wasm/submissions/{submission_id}',
    ],
  );
  const others = await withKey(
    server,
    SCOPES.filter((scope) => scope !== 'tax:write'),
  );
  const writer = await withKey(server, ['tax:write']);
  const challenge = 'Bearer realm="api", error="insufficient_scope", scope="tax:write"';
  for (const endpoint of changes) {
    const refused = await change(endpoint, others);
    assert.deepEqual(refused, [403, 'insufficient_scope', challenge], `${endpoint.method} ${endpoint.path}`);
    for (const headers of [writer, await signedIn(server)]) {
      const [status] = await change(endpoint, headers);
      assert.ok([200, 204, 404, 422].includes(Number(status)), `${endpoint.method} ${endpoint.path} ${status}`);
    }
  }
});

test('a key that reads keeps reading, and one that only writes reads nothing', async () => {
  const [reader, writer] = [await withKey(server, ['tax:read']), await withKey(server, ['tax:write'])];
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await server.ask(path, { headers })).status;
  for (const path of ['/api/account/v1/saved', `/api/tax/v1/saved-decisions?address=${WALLETS.light}`]) {
    assert.equal(await statusOf(path, reader), 200);
    assert.equal(await statusOf(path, writer), 403);
  }
});
