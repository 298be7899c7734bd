import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { type Claim, claimInFolder, claimInStore } from '../../../scripts/schedule/claims.js';
import { Store } from '../../../server/store/store.js';
import { onBothStores } from '../../server/store/stores.js';

const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 0, minute));

onBothStores('claims of two schedulers', (variables) => {
  let claims: [Claim, Claim];
  const stores: Store[] = [];
  before(() => {
    const config = readConfig({ ...variables() });
    const claim = (): Claim => {
      if (config.databaseUrl === undefined) return claimInFolder(config.dataDir);
      const store = new Store(config);
      stores.push(store);
      return claimInStore(store);
    };
    claims = [claim(), claim()];
  });
  after(() => Promise.all(stores.map((store) => store.close())));

  test('two at once run a job once', async () => {
    for (let minute = 0; minute < 5; minute++) {
      let runs = 0;
      const work = async () => void runs++;
      const claimed = await Promise.all(claims.map((claim) => claim('quick', at(minute), work)));
      assert.deepEqual([runs, claimed.filter(Boolean).length], [1, 1]);
      assert.equal(await claims[0]('quick', at(minute), work), false, 'a clock that is late changes nothing');
    }
  });

  test('a job that was begun by a clock far ahead runs again at its times', async () => {
    const runs: number[] = [];
    for (const minute of [500_000, 0, 61, 30, 61, 62]) {
      await claims[minute % 2]!('ahead', at(minute), async () => void runs.push(minute));
    }
    assert.deepEqual(runs, [500_000, 0, 61, 62]);
  });

  test('nobody begins a job while one is at it, and others are free', async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const long = claims[0]('long', at(0), () => {
      begin();
      return finished;
    });
    await begun;
    const nothing = async () => {};
    assert.equal(await claims[1]('long', at(1), nothing), false);
    assert.equal(await claims[1]('other', at(1), nothing), true);
    finish();
    assert.equal(await long, true);
    assert.equal(await claims[1]('long', at(2), nothing), true);
  });
});
