/** A starting state loads from files and servers, plain or compressed. Errors contain the member's path. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { expectDailySums, expectSums, startingDifferences } from '../../../pipeline/holdings/check-sums.js';
import { deserializeState, serializeState } from '../../../pipeline/holdings/checkpoint.js';
import { loadStartingState, sha256 } from '../../../pipeline/holdings/start/load-starting-state.js';
import type { BlockContext, HoldingsState } from '../../../pipeline/holdings/state.js';
import { formatDecimal18, parseDecimal18 } from '../../../pipeline/holdings/values/decimal18.js';
import { EXPORT, GENESIS, linesOf } from '../recording.js';

const folder = mkdtempSync(join(tmpdir(), 'starting-state-'));
after(() => rmSync(folder, { recursive: true }));

const packed = readFileSync(EXPORT);
const plain = gunzipSync(packed);

test('a genesis gives the state before block 1 and every balance apart', async () => {
  const balances = new Map<string, bigint>();
  const { chainId, state } = await loadStartingState(GENESIS, {
    onBalance: (address, denom, amount) => balances.set(`${address} ${denom}`, amount),
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

test('an export says what its tokens are called', async () => {
  const names = new Map<string, string>();
  await loadStartingState(EXPORT, {
    onIdentity: ({ denom, symbol, name }) => names.set(denom, `${symbol}, ${name}`),
  });
  const maker = 'factory/cosmos1was0sn6v9944dgmvvmwvwzre07j2t2yu2n3aam';
  assert.equal(names.get(`${maker}/uatom`), 'ATOM, Cosmos Hub Atom');
  assert.equal(names.size, JSON.parse(plain.toString()).app_state.bank.denom_metadata.length);
});

test('an export says what its vouchers are made of, one hop and several', async () => {
  const traces: string[] = [];
  await loadStartingState(EXPORT, { onVoucherTrace: (trace) => traces.push(trace) });
  assert.equal(traces.length, JSON.parse(plain.toString()).app_state.transfer.denoms.length);
  assert.ok(traces.includes('transfer/channel-141/uosmo'));
  assert.ok(traces.includes('transfer/channel-1/transfer/channel-141/uosmo'));
});

test('a plain file, a compressed one and a server give the same state', async () => {
  const path = join(folder, 'export.json');
  writeFileSync(path, plain);
  const server = createServer((request, response) => {
    if (request.url!.startsWith('/missing')) response.writeHead(404).end();
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
    const { host } = new URL(base);
    for (const path of ['missing', 'missing?key=secret']) {
      await assert.rejects(loadStartingState(`${base}/${path}`), { message: `${host}: the server answered 404` });
    }
    await assert.rejects(loadStartingState('http://127.0.0.1:2/secret'), { message: '127.0.0.1:2: ECONNREFUSED' });
  } finally {
    server.close();
  }
});

/** Loads from a server that sends part of an answer and then disturbs the connection. */
async function loadPart(part: Uint8Array, then: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((_request, response) => {
    if (part.length > 0) response.write(part, () => then(response.socket!));
    else then(response.socket!);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await loadStartingState(`http://${host}/`).catch(({ message }) => message.replace(host, 'host'));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const PARTS = [plain.subarray(0, 0), plain.subarray(0, 100_000), packed.subarray(0, 10_000)];

test('a server that falls silent, before its answer or within it, is given up after a minute', async (t) => {
  for (const part of PARTS) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const loading = loadPart(part, () => t.mock.timers.tick(60_000));
    assert.equal(await loading, 'host: the server sent less than 1048576 bytes in 60 seconds');
    t.mock.timers.reset();
  }
});

test('a server that breaks off is told of', async () => {
  for (const part of PARTS) {
    assert.match(String(await loadPart(part, (socket) => socket.destroy())), /^host: (UND_ERR_SOCKET|ECONNRESET)$/);
  }
});

test('addresses that an export spells in capitals, as their messages did, are those of the others', async () => {
  const state = JSON.parse(plain.toString('utf8'));
  const { staking, liquid } = state.app_state;
  for (const validator of staking.validators) validator.operator_address = validator.operator_address.toUpperCase();
  for (const delegation of staking.delegations)
    delegation.validator_address = delegation.validator_address.toUpperCase();
  for (const record of liquid.tokenize_share_records) {
    for (const member of ['owner', 'validator']) record[member] = record[member].toUpperCase();
  }
  const path = join(folder, 'capitals.json');
  writeFileSync(path, JSON.stringify(state));
  const names: string[] = [];
  const loaded = await loadStartingState(path, { onValidator: (operator) => names.push(operator) });
  assert.deepEqual(linesOf(loaded.state), linesOf((await loadStartingState(EXPORT)).state));
  assert.ok(names.length > 0 && names.every((name) => name === name.toLowerCase()));
});

/** Returns the error for a changed export. */
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
    /app_state\.staking.* is missing|has no /,
  );
  assert.match(await refusal((text) => text.slice(0, 5000)), /it ends at byte 5000/);
  assert.match(await refusal(() => '[]'), /is missing/);
});

test('a source that cannot be read is named', async () => {
  await assert.rejects(loadStartingState(join(folder, 'nowhere.json')), /nowhere\.json: ENOENT/);
});

/** Opens a changed export. */
async function changed(change: (state: ExportedState) => void): Promise<HoldingsState> {
  const state = JSON.parse(plain.toString('utf8'));
  change(state);
  const path = join(folder, 'changed.json');
  writeFileSync(path, JSON.stringify(state));
  return (await loadStartingState(path)).state;
}

/** Members of an export that the tests change. */
interface ExportedState {
  initial_height: number | string;
  readonly app_state: {
    readonly distribution: {
      readonly fee_pool: { readonly community_pool: { denom: string; amount: string }[] };
      readonly delegator_starting_infos: { readonly starting_info: { height: string } }[];
      readonly outstanding_rewards: { outstanding_rewards: unknown[] }[];
      validator_slash_events: unknown[];
    };
    readonly staking: {
      readonly validators: { tokens: string; delegator_shares: string; operator_address: string; status: string }[];
    };
  };
}

test('an export whose sums hold has no differences', async () => {
  assert.deepEqual(startingDifferences(await changed(() => {})), []);
});

test('sums that do not hold are named, kept, and equal from there on', async () => {
  let [denom, operator] = ['', ''];
  const state = await changed(({ app_state: { distribution, staking } }) => {
    const [coin] = distribution.fee_pool.community_pool;
    const validator = staking.validators.find(({ status }) => status === 'BOND_STATUS_BONDED');
    [denom, operator] = [coin!.denom, validator!.operator_address];
    coin!.amount = formatDecimal18(parseDecimal18(coin!.amount) + 3n);
    validator!.tokens = String(BigInt(validator!.tokens) + 7n);
    validator!.delegator_shares = formatDecimal18(parseDecimal18(validator!.delegator_shares) + 5n);
  });
  assert.deepEqual(startingDifferences(state), [
    { sum: 'bonded_tokens_pool', of: 'uatom', amount: '-7.000000000000000000' },
    { sum: 'community_pool', of: denom, amount: '-0.000000000000000003' },
    { sum: 'shares', of: operator, amount: '0.000000000000000005' },
  ]);
  const copy = deserializeState(serializeState(state), sha256);
  assert.deepEqual(startingDifferences(copy), startingDifferences(state));
  const context = { state, moved: true } as BlockContext;
  expectSums(context);
  expectDailySums(state);
  state.validators.get(operator)!.tokens -= 1n;
  assert.throws(() => expectSums(context), /^Error: bonded pool: /);
  state.validators.get(operator)!.shares -= 1n;
  assert.throws(() => expectDailySums(state), /^Error: shares of /);
});

test('an export for a new chain is refused by name, whatever height it says', async () => {
  const forget = ({ app_state: { distribution } }: ExportedState) => {
    for (const { starting_info } of distribution.delegator_starting_infos) starting_info.height = '0';
    for (const rewards of distribution.outstanding_rewards) rewards.outstanding_rewards = [];
    distribution.validator_slash_events = [];
  };
  await assert.rejects(() => changed(forget), /for a new chain \(--for-zero-height\)/);
  for (const initial_height of [1, '1']) {
    await assert.rejects(
      () => changed((state) => Object.assign(state, { initial_height })),
      /for a new chain \(--for-zero-height\)/,
    );
  }
  for (const initial_height of [0, '0']) {
    await assert.rejects(
      () => changed((state) => Object.assign(state, { initial_height })),
      /initial_height is 0, not the height of the first block after the state$/,
    );
  }
});
