import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../../pipeline/config.js';
import { loadReference } from '../../../pipeline/reference.js';
import { addAccount } from '../../../server/accounts/accounts.js';
import { Store } from '../../../server/store/store.js';
import { submit } from '../../../server/submissions/submissions.js';
import { run } from '../run-program.js';

const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-submissions-'));
after(() => rmSync(dataDir, { recursive: true }));
const environment = { HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_NOW: '2026-06-01T12:30:00Z' };

test('the queue is listed; what is accepted is an entry of the registry', async () => {
  const now = new Date(environment.HUBLEDGER_NOW);
  const { chain } = loadReference();
  const store = new Store(readConfig(environment));
  const account = await addAccount(store, now);
  const contract_address = 'cosmosvaloper18al7yt9q5a7n7aqje9dat36efyxssyahmx2gzs';
  const note = 'Italy \u202e\u009b31m, https://validator.example/imprint or https://good.example@evil.example/';
  const { id } = await submit(
    store,
    { kind: 'validator_jurisdiction', contract_address, note },
    { account, chain, now },
  );
  await store.close();
  const submissions = (...words: string[]) => run(['submissions', ...words], environment);
  const quotedNote = String.raw`"Italy \u{202e}\u{9b}31m, https://validator.example/imprint or https://good.example@evil.example/"`;
  const row = [id, '2026-06-01T12:30:00.000Z', 'validator_jurisdiction', contract_address, quotedNote];
  assert.equal(submissions('list').out, `${row.join('\t')}\n`);
  const wrong = submissions('accept', id, '--country', 'Italy');
  assert.match(wrong.error, /argument 'Italy' is invalid\. It must be a code of ISO 3166-1/);
  const accepted = submissions('accept', id);
  const entry = JSON.parse(accepted.out.slice(accepted.out.indexOf('{')));
  assert.deepEqual(
    [entry.country, entry.source, entry.reviewed, entry.operator_addresses],
    ['IT', 'https://validator.example/imprint', '2026-06-01', [contract_address]],
  );
  assert.equal(submissions('list').out, '');
  const again = submissions('reject', id);
  assert.deepEqual([again.code, again.error], [1, `hubledger: no submission ${id} waits for a review\n`]);
});
