import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VariableError } from '../../pipeline/base/config-error.js';
import { expectSameDataset } from '../../pipeline/publish/same-dataset.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-same-'));
after(() => rmSync(root, { recursive: true }));

/** Makes a data folder whose current manifest has these members; its id is wrong, as if another program had made it. */
function published(name: string, manifest: object): string {
  const dataDir = join(root, name);
  mkdirSync(join(dataDir, 'generations/h9-abc'), { recursive: true });
  writeFileSync(join(dataDir, 'CURRENT'), 'h9-abc\n');
  writeFileSync(
    join(dataDir, 'generations/h9-abc/manifest.json'),
    JSON.stringify({ generation: 'h9-abc', ...manifest }),
  );
  return dataDir;
}

const state = (starting_height: number | null) => ({ coverage: { starting_height } });
const sample = published('sample', { node_chain_id: 'localhub-1', ...state(0) });
const hub = published('hub', { node_chain_id: 'cosmoshub-4', ...state(599) });
const young = published('young', { node_chain_id: 'cosmoshub-4', ...state(null) });
const wallets = published('wallets', { node_chain_id: 'cosmoshub-4', own_wallets: [], ...state(null) });

const HUB = { nodeChainId: 'cosmoshub-4', wallets: undefined, genesis: 'export.json' };
const OWN = { ...HUB, wallets: ['cosmos1a'], genesis: undefined };

test('a run goes on where the folder has its own dataset, or none', () => {
  for (const wanted of [
    { ...HUB, dataDir: hub },
    { ...HUB, dataDir: young },
    { ...HUB, dataDir: young, genesis: undefined },
    { ...OWN, dataDir: wallets },
    { ...HUB, dataDir: join(root, 'none') },
    { ...HUB, nodeChainId: 'localhub-1', dataDir: sample },
  ])
    expectSameDataset(wanted);
});

test('another chain, another mode or a lost starting state is refused, with the way out', () => {
  const cases = [
    [
      { ...HUB, dataDir: sample },
      /has a dataset of localhub-1, but this run reads cosmoshub-4: set HUBLEDGER_DATA_DIR/,
    ],
    [{ ...OWN, dataDir: sample }, /has a dataset of localhub-1/],
    [{ ...OWN, dataDir: hub }, /of the whole chain, but HUBLEDGER_WALLETS is set: set HUBLEDGER_DATA_DIR/],
    [{ ...HUB, dataDir: wallets }, /of single wallets, but HUBLEDGER_WALLETS is not set: set it again, or set/],
    [
      { ...HUB, dataDir: hub, genesis: undefined },
      /starting state of height 599, but HUBLEDGER_GENESIS is not set: set it again, or use --allow-loss/,
    ],
  ] as const;
  for (const [wanted, message] of cases)
    assert.throws(
      () => expectSameDataset(wanted),
      (error) => error instanceof VariableError && message.test(error.message),
    );
});
