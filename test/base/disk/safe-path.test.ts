/** Paths and keys that another machine has sent. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigError } from '../../../pipeline/base/config-error.js';
import { expectSafePath, isSafePath, joinSafely } from '../../../pipeline/base/disk/safe-path.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-paths-'));
after(() => rmSync(root, { recursive: true }));

test('the paths of the data folder and of the object store are safe', () => {
  for (const path of [
    'CURRENT',
    'archive.json',
    'locks/night',
    `objects/${'a'.repeat(64)}.parts`,
    'raw/cosmoshub-4/0000000001-0000000500.parquet',
    'generations/h540-ba2064024ad2/ledger_entries/_delta_log/00000000000000000000.json',
    'prices/v1.2.3/000001/quotes.parquet',
  ]) {
    assert.ok(isSafePath(path), path);
    assert.equal(joinSafely(root, path), join(root, path));
  }
});

test('other texts are refused in one line', () => {
  const long = `${'a/'.repeat(600)}a`;
  const texts = [
    '',
    '.',
    '..',
    '../a',
    'a/../b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a\\b',
    'a b',
    'a\n',
    'a\0',
    'ä',
    long,
  ];
  for (const text of [...texts, undefined, null, 5, {}, ['a']]) {
    assert.equal(isSafePath(text), false);
    assert.throws(() => expectSafePath(text), ConfigError);
    assert.throws(
      () => joinSafely(root, text),
      (error: Error) => error instanceof ConfigError && /^[^\p{Cc}]{1,200}$/u.test(error.message),
    );
  }
});

test('a path does not pass through a symbolic link below the folder', () => {
  mkdirSync(join(root, 'folder/real'), { recursive: true });
  writeFileSync(join(root, 'outside.txt'), 'outside');
  symlinkSync(root, join(root, 'folder/link'));
  symlinkSync(join(root, 'outside.txt'), join(root, 'folder/real/file.txt'));
  symlinkSync(join(root, 'none'), join(root, 'folder/real/dangling'));
  symlinkSync(join(root, 'folder'), join(root, 'entry'));
  for (const path of ['link', 'link/outside.txt', 'real/file.txt', 'real/dangling'])
    assert.throws(
      () => joinSafely(join(root, 'folder'), path),
      /^Error: .* is a symbolic link, which paths from other/,
    );
  assert.equal(joinSafely(join(root, 'entry'), 'real/new/file'), join(root, 'entry/real/new/file'));
});
