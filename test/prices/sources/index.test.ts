import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../../pipeline/base/project.js';
import { marketSources } from '../../../pipeline/prices/sources/index.js';
import { loadReference } from '../../../pipeline/reference.js';

test('sources have different names, which the newest methodology describes and no other file of prices contains', () => {
  const { assets, methodology, priceMarkets } = loadReference();
  const days = { from: '2026-01-02', to: '2026-01-04', today: '2026-01-30' };
  const sources = marketSources({ assets, priceMarkets, ...days, fetch });
  const names = sources.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const folder = join(projectRoot(), 'pipeline/prices');
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  assert.ok(files.includes('fetch-quotes.ts'));
  const others = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  for (const name of names) {
    assert.ok(methodology.parameters.sources.includes(name), name);
    assert.ok(
      methodology.sources.some((text) => text.startsWith(`${name}: `)),
      name,
    );
    assert.ok(!others.some((code) => code.includes(`'${name}'`)), name);
  }
});
