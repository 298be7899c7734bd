/** Exports of every wallet of the sample chain, plain and with a statement about every transfer. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readManifest, tableFiles } from '../../../../pipeline/publish/generation.js';
import { IMPORTERS } from '../../../../server/formats/profiles/importers/index.js';
import { openDatabase } from '../../../open-database.js';
import { NightCase, SAMPLE_CHAIN } from '../../../pipeline/night-case.js';
import { posting } from '../../accounts/signed-in.js';
import { askByPost, inRequests, statementsOf } from '../../endpoints/summary/statements.js';
import { startServer, type TestServer } from '../../harness.js';
import { requireTemplate } from './templates.js';

const chain = new NightCase(SAMPLE_CHAIN);
let server: TestServer;
let wallets: readonly string[];
before(async () => {
  const { generation } = await chain.night('data');
  const folder = chain.path('data/generations', generation);
  const database = await openDatabase();
  await database.attach('priced_events', tableFiles(folder, readManifest(folder), 'priced_events'));
  const rows = await database.all<{ address: string }>('select distinct address from priced_events order by address');
  wallets = rows.map(({ address }) => address);
  database.close();
  server = await startServer({ published: false, environment: { HUBLEDGER_DATA_DIR: chain.path('data') } });
  await server.datasets.refresh();
});
after(async () => {
  await server.close();
  chain.remove();
});

/** Asks for a file. @param members of the body */
async function file(path: string, members: Record<string, unknown>): Promise<string> {
  const answer = await fetch(`${server.base}/api/tax/v1/${path}`, posting(members));
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 300));
  return text;
}

const ask = askByPost(() => server.base);

test('files for every importer fit its template, with the words of all tags among them', async () => {
  for (const group of inRequests(wallets)) {
    const { tags, asset_decisions } = await statementsOf(ask, group, []);
    const decided = { address: group, assetDecisions: JSON.parse(asset_decisions) };
    for (const profile of Object.keys(IMPORTERS)) {
      const plain = requireTemplate(profile, await file('events', { ...decided, profile }));
      const tagged = requireTemplate(
        profile,
        await file('events', { ...decided, profile, userTags: JSON.parse(tags) }),
      );
      assert.ok(plain.length >= tagged.length && tagged.length > 0);
    }
  }
});
