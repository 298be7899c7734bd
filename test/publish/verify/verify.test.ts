import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { type Check, publishedFolder, verify } from '../../../pipeline/publish/verify/verify.js';
import { NightCase } from '../../pipeline/night-case.js';
import { loaders, program } from '../../scripts/run-program.js';

const chain = new NightCase();
before(() => chain.published('data'));
after(() => chain.remove());

/** A copy of the published generation, changed. */
function changed(name: string, change: (folder: string) => void): string {
  const folder = chain.path(name);
  cpSync(publishedFolder(chain.path('data')), folder, { recursive: true });
  change(folder);
  return folder;
}

async function failures(folder: string): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of verify(folder)) checks.push(check);
  assert.ok(checks.length > 0);
  return checks.filter(({ ok }) => !ok);
}

test('a published generation holds', async () => {
  assert.deepEqual(await failures(publishedFolder(chain.path('data'))), []);
});

test('a closed pipe, as after `| head`, prints no error and keeps the exit code', async () => {
  const child = spawn(process.execPath, [...loaders, program, 'verify'], {
    env: { PATH: process.env.PATH, ...chain.environment('data') },
  });
  child.stdout.destroy();
  let error = '';
  child.stderr.on('data', (text) => {
    error += text;
  });
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(error, '');
});

test('a changed byte, a missing file and an edited manifest are found', async () => {
  const byte = changed('byte', (folder) => {
    const file = `${folder}/prices/all.parquet`;
    const bytes = readFileSync(file);
    bytes[100]! ^= 1;
    writeFileSync(file, bytes);
  });
  assert.match((await failures(byte))[0]!.text, /^prices\/all\.parquet: [0-9a-f]{64}, not [0-9a-f]{64}$/);
  const edit = (from: RegExp, to: string) => (folder: string) => {
    const file = `${folder}/manifest.json`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  };
  const absent = changed('absent', edit(/prices\/all\.parquet/, 'prices/other.parquet'));
  assert.match(
    (await failures(absent))[0]!.text,
    /\/generation is h540-[0-9a-f]{12}, but the content has the id h540-/,
  );
  const wrong = changed('wrong', edit(/"height": \d+/, '"height": "540"'));
  assert.match((await failures(wrong))[0]!.text, /\/height must be integer/);
});

test('what is no dataset is one line', async () => {
  assert.throws(() => publishedFolder(chain.path('nothing')), ConfigError);
  await assert.rejects(() => failures(chain.path('nothing')), ConfigError);
});

test('the command prints a line a check and tells by its exit code', async () => {
  const good = await chain.command('data', 'verify');
  assert.equal(good.code, 0, good.error);
  assert.match(good.out, /^ok {3}manifest: .*\nok {3}assets\/all\.parquet: [0-9a-f]{64}\n/);
  const bad = await chain.command('data', 'verify', '--dataset', chain.path('byte'));
  assert.equal(bad.code, 3);
  assert.match(bad.out, /^FAIL prices\/all\.parquet/m);
});

test('a table that is missing is a failed check, a line each, and not the end of the command', async () => {
  cpSync(chain.path('data'), chain.path('hurt'), { recursive: true });
  rmSync(`${publishedFolder(chain.path('hurt'))}/priced_events`, { recursive: true });
  const { code, out, error } = await chain.command('hurt', 'verify');
  assert.deepEqual([code, error], [3, '']);
  assert.match(out, /^FAIL priced_events\/\S+: no file, not [0-9a-f]{64}$/m);
  assert.match(out, /\nFAIL IO Error: No files found [^\n]+\n$/);
  const lines = (await chain.command('hurt', 'verify', '--json')).out.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ ok, text }) => `${ok ? 'ok  ' : 'FAIL'} ${text}`),
    out.trimEnd().split('\n'),
  );
});

/** A module that lets its process make no folder in a data folder, as for somebody who may only read it. */
const READ_ONLY = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { mkdirSync } = fs;
  fs.mkdirSync = (path, ...rest) => {
    if (String(path).startsWith(process.env.HUBLEDGER_DATA_DIR)) throw new Error('EACCES: permission denied');
    return mkdirSync(path, ...rest);
  };
  syncBuiltinESMExports();
`;

test('who may only read the data folder has everything checked', async () => {
  const temporary = chain.path('temporary');
  mkdirSync(temporary);
  chain.variables = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(READ_ONLY)}`,
    TMPDIR: temporary,
  };
  const { code, out, error } = await chain.command('data', 'verify');
  chain.variables = {};
  assert.deepEqual([code, error], [0, '']);
  assert.match(out, /\nok {3}wallet index: \d+ values match the tables, [^\n]+\n$/);
  assert.deepEqual(readdirSync(temporary), []);
});
