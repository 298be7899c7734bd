import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerSources, type DatasetRequest, makeAnswer, readRequest } from '../../../server/api/make-answer.js';
import { endpoints } from '../../../server/endpoints/index.js';
import { makeEvent } from '../../books/ledger/wallets.js';
import { memoryDataset } from '../memory-dataset.js';

const [A, B] = ['cosmos1x6zdvy3wp6mndttyxemnvff73q9ehretmx2h6w', 'cosmos10d07y265gmmuvt4z0w9aw880jnsr700j6zn9kn'];
const rewards = (address: string) =>
  Array.from({ length: 600 }, (_, n) =>
    makeEvent(n + 1, '2026-02-01', 'staking_reward', {
      ...{ address, received_amount: BigInt(n + 1), received_denom: 'uatom', received_price: 2_000_000n },
    }),
  );
const WALLETS = { [A]: rewards(A), [B]: rewards(B) };

const PATHS = [
  '/events?format=csv',
  '/events?format=json',
  '/journal?format=csv',
  '/journal?format=json',
  '/journal?profile=hledger',
  '/journal?profile=form8949&tax_year=2026',
  '/positions?date=2026-04-14',
  '/summary?format=json',
  '/summary?format=pdf',
];

for (const path of PATHS)
  test(`an error while rows are read ends the answer at once: ${path}`, async () => {
    let read = 0;
    let last = Number.POSITIVE_INFINITY;
    const dataset = memoryDataset(WALLETS, () => {
      if (++read > last) throw new Error('the client left');
    });
    const [name, rest] = `/api/tax/v1${path}`.split('?') as [string, string];
    const asked: DatasetRequest = {
      ...{ path: name, name: path, query: `address=${A},${B}&own_wallets=carry&${rest}`, account: undefined },
      ...{ today: '2026-04-14', now: new Date('2026-04-14'), seriesEnd: '2026-04-14', widget: undefined },
      ...{ isEnding: false, coding: 'identity', ifNoneMatch: undefined },
    };
    const endpoint = endpoints.find((one) => one.kind === 'dataset' && one.path === name)!;
    const sources = {
      ...{ endpoint, dataset, store: { query: async () => [] }, chargeRows: async () => {} },
    } as AnswerSources;
    const answer = async () => {
      const made = await makeAnswer(asked, readRequest(asked, sources), sources, { ignored: [], isPersonal: false });
      if (made && 'chunks' in made) for (const _ of made.chunks);
    };
    await answer();
    const whole = read;
    assert.ok(whole >= 4, `${whole} segments`);
    for (last of [0, whole >> 1, whole - 1]) {
      read = 0;
      await assert.rejects(answer, /the client left/);
      assert.equal(read, last + 1);
    }
  });
