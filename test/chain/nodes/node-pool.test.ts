import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { NodePool } from '../../../pipeline/chain/nodes/node-pool.js';
import { index, rawFiles, sampleLines, temporaryFolder } from '../sample.js';
import { type Fault, type NodeOptions, startNode } from '../test-node.js';

/** Time-outs of nodes that always answer: a machine that is busy must not look like a node that hangs. */
const PATIENT = { min: 2000, max: 8000 };
const HOURS = { min: 7_200_000, max: 7_200_000 };
/** Time-outs of nodes that are slow, or do not answer at all. */
const HASTY = { min: 100, max: 400 };

const RETRY_LIMITS = {
  rounds: 30,
  startRounds: 2,
  pauseMs: 1,
  pauseMaxMs: 8,
  rateLimitMaxMs: 5_000,
  promiseMaxMs: 200,
  farAsks: 5,
};

/** One of the faults on about every fourth request, by a generator with a seed. */
function sometimes(...faults: readonly Fault[]): () => Fault | undefined {
  let state = 7;
  return () => {
    state = (state * 48271) % 2147483647;
    return faults[state % (4 * faults.length)];
  };
}

const start = (context: TestContext, ...options: NodeOptions[]) => startWith(PATIENT, context, ...options);

/** Nodes with these options, and a pool of them that waits for their answers so long. */
async function startWith(timeoutMs: typeof HASTY, context: TestContext, ...options: NodeOptions[]) {
  const nodes = await Promise.all(options.map(startNode));
  context.after(() => Promise.all(nodes.map((node) => node.close())));
  return {
    nodes,
    pool: new NodePool(
      nodes.map(({ url }) => url),
      { ...RETRY_LIMITS, timeoutMs },
    ),
  };
}

/** The heights that came, each checked against the recording word for word, and the error that ended them. */
async function collect(pool: NodePool, from: number, to: number): Promise<{ last: number; error?: string }> {
  let last = from - 1;
  try {
    for await (const { height, record } of pool.records(from, to)) {
      assert.equal(height, ++last);
      assert.equal(record, sampleLines[height]);
    }
  } catch (error) {
    return { last, error: (error as Error).message };
  }
  return { last };
}

const host = ({ url }: { url: string }) => new URL(url).host;

test('a node over RPC and a recording of it leave the same bytes', async (context) => {
  const { nodes, pool } = await start(context, {});
  const [overRpc, fromFiles] = [temporaryFolder(context), temporaryFolder(context)];
  const { added } = await index(overRpc, { source: pool, until: 120 });
  await index(fromFiles, { until: 120 });
  assert.equal(added, 119);
  assert.deepEqual(rawFiles(overRpc), rawFiles(fromFiles));
  assert.ok(nodes[0]!.counts.batches >= 24 && nodes[0]!.counts.singles < 20, 'headers alone, all else in batches');
});

test('a node that takes no batches is asked height by height', async (context) => {
  const { nodes, pool } = await start(context, { batchLimit: 0 });
  assert.deepEqual(await collect(pool, 11, 215), { last: 215 });
  assert.ok(nodes[0]!.counts.batches <= 4 * 6, 'of 41 groups, those in flight when a size of batches is refused');
});

for (const fault of [503, 429, 500, 'reset', 'hang', 'truncate', 'half', 'page'] as const) {
  for (const batchLimit of [10, 0]) {
    test(`nothing is lost when some requests end in ${fault}, ${batchLimit ? 'in batches' : 'one by one'}`, async (context) => {
      const timeoutMs = fault === 'hang' ? HASTY : PATIENT;
      const { nodes, pool } = await startWith(timeoutMs, context, { batchLimit, fault: sometimes(fault) });
      const last = fault === 'hang' ? 15 : 50; // each of these costs its time-out
      assert.deepEqual(await collect(pool, 1, last), { last });
      assert.ok(nodes[0]!.counts.requests > last / 5);
    });
  }
}

test('a fault of any kind at any moment only costs time', async (context) => {
  const fault = sometimes(503, 'reset', 'half', 429, 'truncate', 500);
  const { pool } = await start(context, { fault }, { fault });
  assert.deepEqual(await collect(pool, 1, 200), { last: 200 });
});

test('the first node that is well is used, the next one when it fails', async (context) => {
  const { nodes, pool } = await start(context, { fault: (n) => (n > 4 ? 503 : undefined) }, {}, {});
  await pool.status();
  assert.deepEqual(await collect(pool, 1, 100), { last: 100 });
  assert.ok(
    nodes[0]!.counts.requests <= 12 && nodes[1]!.counts.batches > 10,
    'no more of the first than was in flight',
  );
  assert.equal(nodes[2]!.counts.batches, 0);
});

test('a node that is down from the start, or still catching up, is passed over', async (context) => {
  const { nodes, pool } = await start(context, {}, { catchingUp: true, latest: 10 }, { latest: 900 });
  await nodes[0]!.close();
  const latestTime = Date.parse('2026-04-15T12:00:00.123Z');
  assert.deepEqual(await pool.status(), { chainId: 'localhub-1', earliest: 1, latest: 900, latestTime });
  assert.deepEqual(await collect(pool, 5, 30), { last: 30 });
  assert.equal(nodes[1]!.counts.batches, 0);
});

test('a node that stands still while another one goes on is passed over; one that is some blocks behind is not', async (context) => {
  const stuck = { latest: 10, latestTime: '2026-04-15T11:49:00Z' };
  const { nodes, pool } = await start(context, stuck, { latest: 900 });
  assert.equal((await pool.status()).latest, 900);
  assert.deepEqual(await collect(pool, 5, 30), { last: 30 });
  assert.equal(nodes[0]!.counts.batches, 0);
  const behind = await start(context, { ...stuck, latestTime: '2026-04-15T11:51:00Z' }, { latest: 900 });
  assert.equal((await behind.pool.status()).latest, 10);
  assert.equal((await (await start(context, stuck)).pool.status()).latest, 10, 'there is no other');
});

test('a height that one node lacks comes from another; what none has is missing by name', async (context) => {
  const { nodes, pool } = await start(context, { holes: [7, 8] }, { earliest: 6, holes: [8] });
  assert.deepEqual(await collect(pool, 1, 7), { last: 7 });
  assert.deepEqual(await collect(pool, 5, 20), {
    last: 7,
    error: `block 8: no node has it: ${host(nodes[0]!)} answers "block": null; ${host(nodes[1]!)} answers "block": null`,
  });
});

test('results that are not there yet are waited for, pruned ones are not there', async (context) => {
  const { pool } = await start(context, { lateResults: { 1000: 3 } });
  assert.deepEqual(await collect(pool, 996, 1000), { last: 1000 });
  const { nodes, pool: bare } = await start(context, { lateResults: { 15: 1_000_000 } });
  assert.deepEqual(await collect(bare, 11, 20), {
    last: 14,
    error: `block 15: no node has it: ${host(nodes[0]!)} answers Internal error: could not find results for height #15`,
  });
});

test('heights outside what a node has are missing, in its own words', async (context) => {
  const { nodes, pool } = await start(context, { earliest: 100, latest: 110 });
  const says = `no node has it: ${host(nodes[0]!)} answers Internal error: height`;
  assert.equal((await collect(pool, 99, 100)).error, `block 99: ${says} 99 is not available, lowest height is 100`);
  const { last, error } = await collect(pool, 109, 111);
  assert.equal(last, 110);
  assert.equal(error, `block 111: ${says} 111 must be less than or equal to the current blockchain height 110`);
});

test('a rate limit is waited out as long as the node asks', async (context) => {
  const { pool } = await start(context, { fault: (n) => (n <= 2 ? 429 : undefined), retryAfter: '0.3' });
  const before = performance.now();
  await collect(pool, 1, 5);
  assert.ok(performance.now() - before >= 600, 'twice 0.3 s');
  const date = new Date(Date.now() - 60_000).toUTCString();
  const { pool: past } = await start(context, { fault: (n) => (n === 1 ? 429 : undefined), retryAfter: date });
  assert.deepEqual(await collect(past, 1, 5), { last: 5 });
});

test('a node that asks for more patience than there is ends the run at once', async (context) => {
  const { nodes, pool } = await start(context, { fault: (n) => (n > 1 ? 429 : undefined), retryAfter: '3600' });
  assert.deepEqual(await collect(pool, 1, 3), {
    last: 0,
    error: `block 1: no node has it: ${host(nodes[0]!)} fails: HTTP 429, retry after 3600 s: run again then, or name a second node`,
  });
});

test('an error without words is shown as it is', async (context) => {
  const { nodes, pool } = await start(context, { fault: (n) => (n > 1 ? 'wordless' : undefined) });
  const { error } = await collect(pool, 1, 3);
  assert.equal(error, `block 1: no node has it: ${host(nodes[0]!)} fails: an error without a message: "x"`);
});

test('a slow node is given more time, up to a bound', async (context) => {
  const { nodes, pool } = await startWith(HASTY, context, { latency: 150 });
  assert.deepEqual(await collect(pool, 1, 5), { last: 5 });
  assert.ok(nodes[0]!.counts.requests >= 3, 'asked again after 100 ms, answered within 200');
});

test('nodes that never answer end the run in one line, without their paths', async (context) => {
  const { nodes } = await start(context, { fault: () => 'hang' }, {});
  await nodes[1]!.close();
  const urls = [`${nodes[0]!.url}/secret-key`, nodes[1]!.url];
  const pool = new NodePool(urls, { ...RETRY_LIMITS, timeoutMs: { min: 20, max: 20 }, rounds: 2 });
  const [first, second] = [host(nodes[0]!), host(nodes[1]!)];
  await assert.rejects(
    pool.status(),
    (error) =>
      error instanceof ConfigError &&
      error.message === `no node answers: ${first} (no answer within 20 ms), ${second} (ECONNREFUSED)`,
  );
  assert.deepEqual(await collect(pool, 1, 3), {
    last: 0,
    error: `block 1: no node has it: ${first} fails: no answer within 20 ms; ${second} fails: ECONNREFUSED`,
  });
});

for (const fault of ['endless', 'bomb'] as const) {
  test(`a node that sends too much (${fault}) is passed over, and alone it is one line`, async (context) => {
    const { nodes, pool } = await startWith(HOURS, context, { fault: (n) => (n > 1 ? fault : undefined) }, {});
    assert.equal((await pool.status()).latest, 1000);
    assert.deepEqual(await collect(pool, 1, 5), { last: 5 });
    const name = host(nodes[0]!);
    const alone = () => new NodePool([nodes[0]!.url], { ...RETRY_LIMITS, timeoutMs: HOURS });
    await assert.rejects(
      alone().status(),
      new ConfigError(`no node answers: ${name} (its answer is larger than 1 MiB)`),
    );
    const { nodes: others, pool: other } = await startWith(HOURS, context, {
      fault: (n) => (n > 1 ? fault : undefined),
    });
    await other.status();
    const { error } = await collect(other, 1, 60);
    assert.equal(error, `block 1: no node has it: ${host(others[0]!)} fails: its answer is larger than 64 MiB`);
    assert.ok(others[0]!.counts.requests <= 1 + 12 + 1, 'each group once, and the height whose turn it is');
  });
}

test('answers that are too large for a group come height by height', async (context) => {
  const MIB = 1024 * 1024;
  const { nodes, pool } = await startWith(HOURS, context, { blanks: 1.5 * MIB });
  assert.deepEqual(await collect(pool, 1, 12), { last: 12 });
  assert.equal(nodes[0]!.counts.batches, 3 + 10, 'of three groups the last one, of two heights, fits');
});

test('a second answer may be as large as the first, and one that is larger is left out', async (context) => {
  const MIB = 1024 * 1024;
  const seconds = async (...options: NodeOptions[]) => {
    const { nodes } = await start(context, ...options);
    const urls = nodes.map(({ url }) => url);
    const crossCheck = { share: 1, secret: 'x' };
    const pool = new NodePool(urls, { ...RETRY_LIMITS, timeoutMs: HOURS }, crossCheck);
    let count = 0;
    for await (const { height, second } of pool.records(1, 12)) {
      if (second) assert.equal(second.record, sampleLines[height]);
      if (second) count++;
    }
    return { count, requests: nodes[1]!.counts.requests };
  };
  assert.equal((await seconds({ blanks: 1.5 * MIB }, { blanks: 1.5 * MIB })).count, 12);
  const bombed = await seconds({}, { fault: (n) => (n > 3 ? 'bomb' : undefined) });
  assert.equal(bombed.count, 0);
  assert.ok(bombed.requests <= 6, 'each of three groups once, and its status');
});

test('no redirect is followed: it is a fault of the node', async (context) => {
  const { nodes: elsewhere } = await start(context, {});
  const redirectTo = elsewhere[0]!.url;
  const { nodes, pool } = await start(context, { fault: (n) => (n > 1 ? 'redirect' : undefined), redirectTo }, {});
  await pool.status();
  assert.deepEqual(await collect(pool, 1, 30), { last: 30 });
  const alone = new NodePool([nodes[0]!.url], { ...RETRY_LIMITS, timeoutMs: PATIENT });
  const line = `no node answers: ${host(nodes[0]!)} (HTTP 307: redirects are not followed; it leads to ${redirectTo}/status)`;
  await assert.rejects(alone.status(), new ConfigError(line));
  assert.equal(elsewhere[0]!.counts.requests, 0);
});

test('a node that drips is given up after a while, and does not keep others from answering', async (context) => {
  const { nodes, pool } = await start(context, { fault: (n) => (n > 1 ? 'drip' : undefined) });
  await pool.status();
  const quick = { ...RETRY_LIMITS, timeoutMs: { min: 50, max: 50 }, rounds: 1_000_000, patienceMs: 300 };
  const { error } = await collect(new NodePool([nodes[0]!.url], { ...quick, startRounds: 1 }), 1, 60);
  assert.equal(error, `block 1: no node has it: ${host(nodes[0]!)} fails: no answer within 50 ms`);
  const { pool: both } = await startWith(HASTY, context, { fault: () => 'drip' }, {});
  assert.deepEqual(await collect(both, 1, 30), { last: 30 });
});

test('a height that a node cannot have is a fault of its status', async (context) => {
  const latest = 1e14;
  const times = { earliestTime: '2021-02-18T06:00:00Z' };
  const { nodes, pool } = await start(context, { ...times, latest }, times);
  assert.equal((await pool.status()).latest, 1000);
  const alone = new NodePool([nodes[0]!.url], { ...RETRY_LIMITS, timeoutMs: PATIENT });
  const why = `it reports height ${latest}, more blocks than fit between its first and its last block time`;
  await assert.rejects(alone.status(), new ConfigError(`no node answers: ${host(nodes[0]!)} (${why})`));
});

test('a height far beyond the newest block is not waited for, whatever the status promised', async (context) => {
  let latest = 1e14;
  const { nodes } = await start(context, { latest: () => latest });
  const pool = new NodePool([nodes[0]!.url], { ...RETRY_LIMITS, timeoutMs: PATIENT, promiseMaxMs: HOURS.min });
  assert.equal((await pool.status()).latest, latest);
  latest = 900;
  const { last, error } = await collect(pool, 951, 952);
  assert.deepEqual([last, error?.slice(0, 28)], [950, 'block 951: no node has it: 1']);
  assert.equal(nodes[0]!.counts.batches, 1 + RETRY_LIMITS.farAsks);
});

test('a block of the future makes no other node late', async (context) => {
  const liar = { latest: 10, latestTime: '2999-01-01T00:00:00Z' };
  const { pool } = await start(context, { latest: 900, latestTime: new Date().toISOString() }, liar);
  assert.equal((await pool.status()).latest, 900);
});

test('a node whose status says nothing is passed over, and alone it is one line', async (context) => {
  for (const fault of ['{}', 'null', '{"node_info":{"network":"localhub-1"}}', '{"node_info":{},"sync_info":{}}']) {
    const { nodes, pool } = await start(context, { status: fault }, {});
    assert.equal((await pool.status()).latest, 1000);
    assert.deepEqual(await collect(pool, 1, 5), { last: 5 });
    const alone = new NodePool([nodes[0]!.url], { ...RETRY_LIMITS, timeoutMs: PATIENT });
    const line = `no node answers: ${host(nodes[0]!)} (its status has no network or no heights)`;
    await assert.rejects(alone.status(), new ConfigError(line));
  }
});

test('a node of another chain stops the run, be it the one in use or one that stands in', async (context) => {
  const { pool } = await start(context, {}, { chainId: 'other-1' });
  const twoChains = (error: unknown) =>
    error instanceof ConfigError && /^the nodes serve two chains: /.test(error.message);
  await assert.rejects(pool.status(), twoChains);
  const { pool: late } = await start(
    context,
    { fault: (n) => (n > 2 ? 503 : undefined) },
    { chainId: 'other-1', fault: (n) => (n === 1 ? 503 : undefined) },
  );
  assert.equal((await late.status()).chainId, 'localhub-1');
  assert.match((await collect(late, 1, 30)).error!, /^the nodes serve two chains: /);
});

test('a reader that stops early leaves nothing running', async (context) => {
  const { nodes, pool } = await start(context, {});
  for await (const { height } of pool.records(1, 1000)) if (height === 3) break;
  const { url, counts } = nodes[0]!;
  // What was under way arrives before these questions, and a pool that still ran would ask much more meanwhile.
  for (let asked = 0; asked < 20; asked++) await fetch(`${url}/status`);
  assert.ok(counts.requests < 50, `${counts.requests} requests for three blocks of a thousand`);
});
