import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WalletRestatement } from '../../../pipeline/publish/wallet-index/events-format.js';
import type { ManifestRestatement, Restatements } from '../../../schemas/types.generated.js';
import { requireFaults, sharedServer, WALLETS } from '../harness.js';
import { recordedContent } from '../published.js';

const [FIRST, SECOND, THIRD, FOURTH] = [
  'h90-00000000000a',
  'h100-00000000000b',
  'h100-00000000000c',
  'h120-00000000000d',
];

const made = (before: string, after: string, day: string): ManifestRestatement => ({
  generation_before: before,
  generation_after: after,
  restated_at: `${day}T04:00:00Z`,
  causes: ['quote'],
  figures: 2,
  wallets: 1,
  gains_usd: '-1.20',
});
const MADE = [made(FIRST!, SECOND!, '2026-03-02'), made(THIRD!, FOURTH!, '2026-03-04')];

const restated = (generation_after: string, month: string): WalletRestatement => ({
  generation_after,
  month,
  what: 'entry',
  record: '17-0-1-0-in-0',
  figure: 'amount_usd',
  figure_before: '4.82',
  figure_after: null,
  cause: 'quote',
});

const server = sharedServer({
  content: {
    ...recordedContent(),
    restatements: { [WALLETS.light]: [restated(SECOND!, '2026-01'), restated(FOURTH!, '2026-01')] },
  },
  manifest: { restatements: MADE },
});

const ask = (query: string) => server.ask(`/api/tax/v1/restatements?address=${query}`);

test('lists what changed in closed months, with both figures and both generations', async () => {
  const answer = (await ask(`${WALLETS.light},${WALLETS.silent}`)).json<Restatements>();
  assert.deepEqual([answer.count, answer.months], [2, [{ month: '2026-01', figures: 2 }]]);
  assert.deepEqual(answer.restatements[1], {
    ...restated(FOURTH!, '2026-01'),
    address: WALLETS.light,
    generation_before: THIRD,
    restated_at: '2026-03-04T04:00:00Z',
  });
});

test('since a download, only later restatements are listed', async () => {
  for (const [since, count] of [
    ['2026-03-03', 1],
    ['2026-03-05', 0],
    [SECOND, 1],
    [FOURTH, 0],
  ] as const) {
    const answer = (await ask(`${WALLETS.light}&since=${since}`)).json<Restatements>();
    assert.deepEqual([answer.since, answer.count], [since, count]);
  }
});

test('CSV has a line for each figure', async () => {
  const { text } = await ask(`${WALLETS.light}&since=${SECOND}&format=csv`);
  assert.deepEqual(text.split('\r\n').slice(1), [
    `${WALLETS.light},2026-01,entry,17-0-1-0-in-0,amount_usd,4.82,,quote,${THIRD},${FOURTH},2026-03-04T04:00:00Z`,
    '',
  ]);
});

test('another since is refused', async () => {
  for (const since of ['2026-02-30', 'h12', 'yesterday']) {
    requireFaults(await ask(`${WALLETS.light}&since=${since}`), 400, ['since']);
  }
});

test('since a generation, figures of later generations are listed', async () => {
  const { generation } = (await ask(WALLETS.light)).json<Restatements>();
  for (const [since, expected] of [
    [FIRST, [SECOND, FOURTH]],
    [SECOND, [FOURTH]],
    [THIRD, [FOURTH]],
    [FOURTH, []],
    [generation, []],
    ['h80-00000000000e', [SECOND, FOURTH]],
    ['h95-00000000000e', [FOURTH]],
    ['h110-00000000000e', []],
  ] as const) {
    const { restatements } = (await ask(`${WALLETS.light}&since=${since}`)).json<Restatements>();
    assert.deepEqual(
      restatements.map(({ generation_after }) => generation_after),
      expected,
      since,
    );
  }
});
