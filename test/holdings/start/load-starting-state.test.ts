/** A starting state is the same from a file or a server, plain or compressed, and a wrong member is named by its path. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { loadStartingState } from '../../../pipeline/holdings/start/load-starting-state.js';
import { EXPORT, GENESIS, linesOf } from '../recording.js';

const folder = mkdtempSync(join(tmpdir(), 'starting-state-'));
after(() => rmSync(folder, { recursive: true }));

const packed = readFileSync(EXPORT);
const plain = gunzipSync(packed);

test('a genesis gives the state before block 1 and every balance apart', async () => {
  const balances = new Map<string, bigint>();
  const { chainId, state } = await loadStartingState(GENESIS, (address, denom, amount) => {
    balances.set(`${address} ${denom}`, amount);
  });
  const genesis = JSON.parse(gunzipSync(readFileSync(GENESIS)).toString('utf8'));
  const expected = new Map<string, bigint>();
  for (const { address, coins } of genesis.app_state.bank.balances) {
    for (const { denom, amount } of coins) expected.set(`${address} ${denom}`, BigInt(amount));
  }
  assert.deepEqual(balances, expected);
  assert.equal(chainId, genesis.chain_id);
  assert.equal(state.height, 0);
  const delegations = [...state.validators.values()].map((validator) => validator.delegations.size);
  assert.equal(
    delegations.reduce((sum, count) => sum + count, 0),
    genesis.app_state.staking.delegations.length,
  );
});

test('a plain file, a compressed one and a server give the same state', async () => {
  const path = join(folder, 'export.json');
  writeFileSync(path, plain);
  const server = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end();
    else response.end(request.url === '/packed' ? packed : plain);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const sources = [EXPORT, path, `file://${path}`, `${base}/packed`, `${base}/plain`];
    const [first, ...others] = await Promise.all(
      sources.map(async (source) => linesOf((await loadStartingState(source)).state)),
    );
    for (const lines of others) assert.deepEqual(lines, first);
    await assert.rejects(loadStartingState(`${base}/missing`), /answers 404/);
  } finally {
    server.close();
  }
});

/** The message that a changed export is refused with. */
async function refusal(change: (text: string) => string): Promise<string> {
  const path = join(folder, 'changed.json');
  writeFileSync(path, change(plain.toString('utf8')));
  return loadStartingState(path).then(
    () => 'accepted',
    (error: Error) => error.message.slice(path.length + 2),
  );
}

test('what is wrong is named by its path', async () => {
  assert.match(
    await refusal((text) => text.replace('"shares":"', '"shares":"x')),
    /^app_state\.staking\.delegations\[0\]\.shares is "x\d+.*", not a decimal$/,
  );
  assert.match(
    await refusal((text) => text.replace('"unbonding_time":"1814400s"', '"unbonding_time":"3 weeks"')),
    /^app_state\.staking\.params\.unbonding_time is "3 weeks", not a duration/,
  );
  assert.match(
    await refusal((text) => text.replace('"delegator_starting_infos":[{', '"delegator_starting_infos":[],"x":[{')),
    /has no delegation or no starting info$/,
  );
  assert.match(
    await refusal((text) => text.replace('"staking":{', '"stakes":{')),
    /app_state\.staking.* is not there|has no /,
  );
  assert.match(await refusal((text) => text.slice(0, 5000)), /ends early, at byte 5000/);
  assert.match(await refusal(() => '[]'), /not there/);
});

test('a source that cannot be read is named', async () => {
  await assert.rejects(loadStartingState(join(folder, 'nowhere.json')), /nowhere\.json: ENOENT/);
});
