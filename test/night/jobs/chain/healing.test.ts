/** After a node's false answer, nights publish the correct data as soon as another node is available. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { BlockError } from '../../../../pipeline/chain/block-error.js';
import { readConfig } from '../../../../pipeline/config.js';
import { lastGeneration, readManifest } from '../../../../pipeline/publish/generation.js';
import { expectNoLoss, LossError } from '../../../../pipeline/publish/losses.js';
import { AuditError } from '../../../../pipeline/publish/run-audits.js';
import { type Outcome, runNight } from '../../../../pipeline/run-night.js';
import { forge, type Lie, lyingAt, PROVABLE } from '../../../chain/lies.js';
import { startNode } from '../../../chain/test-node.js';
import { openDatabase } from '../../../open-database.js';
import { CUT, type Cut, FOLDED, NightCase, silent, treeHashes } from '../../../pipeline/night-case.js';
import { IS_NIGHT } from '../../../requirements.js';

interface Recorded {
  height: number;
  block_results: {
    finalize_block_events: Event[];
    txs_results: { code?: number; events: Event[] }[] | null;
    validator_updates: { pub_key: { Sum: { value: { ed25519: string } } }; power?: string }[] | null;
  };
}

interface Event {
  type: string;
  attributes: { key: string; value: string }[];
}

/** Changes one attribute of the first event of a type. @returns false if there is none */
const change = (type: string, key: string, text: (value: string) => string) => (block: Recorded) => {
  const succeeded = (block.block_results.txs_results ?? []).filter(({ code }) => !code);
  const found = succeeded.flatMap(({ events }) => events).find((event) => event.type === type);
  const attribute = found?.attributes.find((one) => one.key === key);
  if (!attribute || text(attribute.value) === attribute.value) return false;
  attribute.value = text(attribute.value);
  return true;
};

/** False answers that no hash covers. Each function changes a block, or returns false. */
const LIES: Readonly<Record<string, (block: Recorded) => boolean>> = {
  'coins out of nothing': change('coin_received', 'amount', (amount) => amount.replace(/^\d+uatom$/, '9$&')),
  'an amount of 77 digits': change('coin_received', 'amount', (amount) =>
    amount.replace(/^\d+uatom$/, `${'7'.repeat(77)}uatom`),
  ),
  'an event of a message that is not there': change('withdraw_rewards', 'msg_index', () => '77'),
  'a delegation of another amount': change('delegate', 'amount', (amount) => `1${amount}`),
  "another validator's update": ({ block_results: { validator_updates: updates } }) => {
    if (!updates?.length) return false;
    updates[0]!.pub_key.Sum.value.ed25519 = Buffer.alloc(32, 7).toString('base64');
    return true;
  },
};

/** Applies a false answer to the first suitable block from a height on. */
function lied(lines: readonly string[], from: number, lie: (block: Recorded) => boolean) {
  let height = 0;
  const changed = lines.map((line) => {
    const block: Recorded = JSON.parse(line);
    if (height > 0 || block.height < from || !lie(block)) return line;
    height = block.height;
    return JSON.stringify(block);
  });
  assert.ok(height > 0);
  return { lines: changed, height };
}

const NIGHTS: readonly (readonly [cut: Cut, from: number, lie: string])[] = [
  [CUT, CUT.first, 'coins out of nothing'],
  [FOLDED, 300, "another validator's update"],
  ...(IS_NIGHT
    ? ([
        [CUT, CUT.first, 'an event of a message that is not there'],
        [FOLDED, 300, 'an amount of 77 digits'],
        [FOLDED, 300, 'a delegation of another amount'],
      ] as const)
    : []),
];

const chains = new Map([CUT, FOLDED].map((cut) => [cut, new NightCase(cut)]));
const honest = new Map<Cut, Outcome>();
before(async () => {
  for (const [cut, chain] of chains) honest.set(cut, await chain.published('honest'));
});
after(() => {
  for (const chain of chains.values()) chain.remove();
});

const replaced = (chain: NightCase, dataDir: string) =>
  readdirSync(chain.path(dataDir, 'raw/localhub-1')).filter((name) => name.endsWith('.replaced'));

/** Returns the files of a night that follow from the chain. */
const contents = (chain: NightCase, dataDir: string) => {
  const { raw, classified } = {
    raw: treeHashes(chain.path(dataDir, 'raw')),
    classified: treeHashes(chain.path(dataDir, 'classified')),
  };
  const kept = Object.entries({ ...raw, ...classified }).filter(([name]) => !/\.replaced$|compared\.txt$/.test(name));
  return Object.fromEntries(kept);
};

for (const [i, [cut, from, name]] of NIGHTS.entries()) {
  test(`after ${name} an honest night publishes the bytes of a night without lies`, async () => {
    const chain = chains.get(cut)!;
    const lines = chain.lines();
    const dataDir = `data-${i}`;
    const { lines: lying, height } = lied(lines, from, LIES[name]!);
    chain.record(lying);
    try {
      const first = await chain.night(dataDir).catch((error: Error) => error);
      if (first instanceof Error) {
        assert.ok(first instanceof AuditError || first instanceof BlockError, String(first));
        assert.match(first.message, new RegExp(`the node gives the same block ${height} \\(the recording\\)`));
      } else {
        const manifest = readManifest(chain.path(dataDir, 'generations', first.generation));
        assert.equal(manifest.holdings_until, height - 1);
      }
      assert.deepEqual(replaced(chain, dataDir), []);
    } finally {
      chain.record(lines);
    }
    const { generation } = await chain.night(dataDir);
    assert.equal(generation, honest.get(cut)!.generation);
    assert.equal(replaced(chain, dataDir).length, 1);
    assert.deepEqual(contents(chain, dataDir), contents(chain, 'honest'));
    assert.deepEqual((await chain.night(dataDir)).isNew, false, 'and the next night finds nothing to do');
  });
}

/** Runs a night on nodes with false answers; returns its log. */
async function nightOn(
  dataDir: string,
  lies: readonly (Lie | undefined)[],
  { crossCheck = '0', latest = CUT.last } = {},
) {
  const chain = chains.get(CUT)!;
  const nodes = await Promise.all(lies.map((lie) => startNode({ ...(lie && { lie }), earliest: CUT.from, latest })));
  const said: string[] = [];
  const numberOf = (host: string) => nodes.findIndex(({ url }) => url.endsWith(host));
  const say = (text: string) => void said.push(text.replace(/127\.0\.0\.1:\d+/g, (host) => `node ${numberOf(host)}`));
  const config = readConfig({
    ...chain.environment(dataDir),
    HUBLEDGER_RPC_URLS: nodes.map(({ url }) => url).join(),
    HUBLEDGER_PRICE_SOURCES: 'none',
    HUBLEDGER_CROSS_CHECK: crossCheck,
  });
  try {
    const { generation } = await runNight(config, { workers: 0 }, { ...silent, say });
    return { said, generation };
  } finally {
    for (const node of nodes) await node.close();
  }
}

/** A node's false answer about one block of the cut. */
function asNode(name: string): { height: number; lie: Lie } {
  const { lines, height } = lied(chains.get(CUT)!.lines(), CUT.first, LIES[name]!);
  return { height, lie: (at, line) => (at === height ? lines[height - CUT.from]! : line) };
}

test('a night asks another node, and goes on with its answer', async () => {
  const { height, lie } = asNode('coins out of nothing');
  const { said, generation } = await nightOn('two', [lie, undefined]);
  assert.equal(generation, (await nightOn('alone', [undefined])).generation);
  assert.deepEqual(
    said.filter((text) => /again/.test(text)),
    [`blocks were fetched again and differ: ${height} (node 1)`],
  );
});

test('when all nodes give the same block the error says so', async () => {
  const { height, lie } = asNode('an event of a message that is not there');
  const told = new RegExp(`; two nodes give the same block ${height} \\(127[^)]*, 127[^)]*\\): report it, or end`);
  await assert.rejects(
    () => nightOn('same', [lie, lie]),
    (error) => error instanceof BlockError && told.test(error.message),
  );
});

/** Matches an audit error about a block on which nodes differ. */
const isDisputed = (height: number) => (error: unknown) =>
  error instanceof AuditError && error.message.includes(`\nnodes return different blocks ${height}: `);

test('a night ends when every answer contradicts something, with the block that it stored first', async () => {
  const { height, lie } = asNode('coins out of nothing');
  const other: Lie = (at, line) => (at === height ? lie(at, line).replace(/"9(\d+uatom)"/, '"8$1"') : line);
  await assert.rejects(() => nightOn('neither', [lie, other]), isDisputed(height));
  assert.equal(replaced(chains.get(CUT)!, 'neither').length, 2, 'the other block was tried and put back');
});

test('where every node must confirm a block, one that only some give replaces none', async () => {
  const { height, lie } = asNode('coins out of nothing');
  await assert.rejects(() => nightOn('all', [lie]), AuditError);
  await assert.rejects(() => nightOn('all', [lie, undefined], { crossCheck: 'all' }), isDisputed(height));
  assert.deepEqual(replaced(chains.get(CUT)!, 'all'), []);
  await nightOn('all', [undefined, undefined], { crossCheck: 'all' });
  assert.equal(replaced(chains.get(CUT)!, 'all').length, 1);
});

test('a false last block that the next one does not follow is replaced', async () => {
  const tip = CUT.last - 20;
  const lie = lyingAt(tip, PROVABLE['a header of its own']);
  await nightOn('tip', [lie], { latest: tip });
  const { said, generation } = await nightOn('tip', [undefined]);
  assert.equal(generation, (await nightOn('alone', [undefined])).generation);
  assert.deepEqual(
    said.filter((text) => /again/.test(text)),
    [`blocks were fetched again and differ: ${tip} (node 0)`],
  );
});

test('rows of a block that was dated too late are no loss', async () => {
  const tip = CUT.last - 20;
  const later = (time: string) => new Date(Date.parse(time) + 40 * 86_400_000).toISOString();
  const lie = lyingAt(tip, (record) => forge(record, { time: later(record.block.block.header.time) }));
  await nightOn('late', [lie], { latest: tip });
  const { generation } = await nightOn('late', [undefined]);
  assert.equal(generation, (await nightOn('on-time', [undefined])).generation);
});

test('rows that only a wrong block had are no loss, nor are those that follow from it', async () => {
  const chain = chains.get(FOLDED)!;
  const lines = chain.lines();
  const { lines: second } = lied(lines, 320, LIES["another validator's update"]!);
  const { lines: lying } = lied(second, 300, (block) => {
    const succeeded = (block.block_results.txs_results ?? []).filter(({ code, events }) => !code && events.length > 0);
    const hasIndex = ({ attributes }: Event) => attributes.some(({ key }) => key === 'msg_index');
    const isMove = (event: Event) => /^(coin_|transfer|message)/.test(event.type) && hasIndex(event);
    for (const { events } of succeeded) events.push(...Array(99).fill(events.filter(isMove)).flat());
    return succeeded.some(({ events }) => events.some(isMove));
  });
  chain.record(lying);
  try {
    await chain.night('fewer');
  } finally {
    chain.record(lines);
  }
  assert.equal((await chain.night('fewer')).generation, honest.get(FOLDED)!.generation);

  // The replaced file stays, but the generation in force no longer has its rows: a loss is a loss again.
  const { manifest } = lastGeneration(chain.path('fewer'))!;
  const tables = manifest.tables.map((table) =>
    table.name === 'priced_events'
      ? {
          ...table,
          files: table.files.map((file, i, { length }) => ({
            ...file,
            rows: i === length - 1 ? file.rows - 1 : file.rows,
          })),
        }
      : table,
  );
  const database = await openDatabase();
  await assert.rejects(
    () => expectNoLoss(chain.path('fewer'), database, chain.path('fewer', 'raw/localhub-1'), { ...manifest, tables }),
    LossError,
  );
  database.close();
});
