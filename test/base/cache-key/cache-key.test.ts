/** Kept rows are named by everything that makes them: no part of it can change without another name. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  cacheKey,
  importClosure,
  lockedPackages,
  namedFiles,
  type ReadFile,
} from '../../../pipeline/base/cache-key/cache-key.js';
import { projectRoot } from '../../../pipeline/base/project.js';

const program = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const JOBS = {
  classification: [program('../../../pipeline/night/jobs/classify/classify-range.js')],
  fold: [
    program('../../../pipeline/night/jobs/fold/start-worker.js'),
    program('../../../pipeline/night/jobs/chain/chain-worker.js'),
  ],
  'the wallet index': [program('../../../pipeline/publish/build-wallet-index.js')],
};

const LOCK_FILE = join(projectRoot(), 'package-lock.json');
const read: ReadFile = (path) => readFileSync(path, 'utf8');

/** A reader of the program in which one file is another. */
const reading =
  (changed: string, change: (text: string) => string): ReadFile =>
  (path) =>
    path === changed ? change(read(path)) : read(path);

const LOADER = `
import { writeSync } from 'node:fs';
export function load(url, context, next) {
  writeSync(1, url + '\\n');
  return next(url, context);
}`;

/** Files that Node.js itself loads with modules: the oracle of a closure. */
function loadedWith(entries: readonly string[]): string[] {
  const program = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(LOADER)}));
    for (const entry of ${JSON.stringify(entries)}) await import(entry).catch((error) => {
      if (!/addEventListener|null|parentPort/.test(String(error))) throw error;
    });
    process.exit();`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return output
    .split('\n')
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url));
}

for (const [job, entries] of Object.entries(JOBS)) {
  const { modules, packages } = importClosure(entries, read);
  const named = [...new Set(modules.flatMap((path) => namedFiles(read(path))))];

  test(`the closure of ${job} has every module and package that Node.js loads`, () => {
    const loaded = loadedWith(entries);
    assert.ok(loaded.length > modules.length, 'packages are loaded, too');
    const [own, foreign] = [false, true].map((isForeign) =>
      loaded.filter((path) => path.includes(`${sep}node_modules${sep}`) === isForeign),
    );
    assert.deepEqual(
      own!.filter((path) => !modules.includes(path)),
      [],
    );
    const locked = lockedPackages(packages, read(LOCK_FILE)).map((line) => line.split(' ')[0]!);
    const isLocked = (path: string) =>
      locked.some((place) => path.includes(`${sep}${place.replaceAll('/', sep)}${sep}`));
    assert.deepEqual(
      foreign!.filter((path) => !isLocked(path)),
      [],
    );
  });

  test(`one character in any file that rows of ${job} rest on names them anew`, () => {
    assert.ok(modules.some((path) => path.endsWith(join('values', 'amount.js'))));
    assert.ok(named.some((path) => path.endsWith('.sql')) && named.some((path) => path.endsWith('.json')));
    const key = cacheKey(entries, []);
    assert.match(key, /^[0-9a-f]{16}$/);
    assert.equal(cacheKey(entries, []), key);
    for (const path of [...modules, ...named]) {
      const other = cacheKey(
        entries,
        [],
        reading(path, (text) => `${text} `),
      );
      assert.notEqual(other, key, path);
    }
  });

  test(`another version of any package behind ${job}, and other data, name its rows anew`, () => {
    const key = cacheKey(entries, ['chain-1']);
    assert.notEqual(cacheKey(entries, ['chain-2']), key);
    for (const line of lockedPackages(packages, read(LOCK_FILE))) {
      const [place, version] = line.split(' ');
      const upgrade = (text: string) => {
        const lock = JSON.parse(text);
        assert.equal(lock.packages[place!].version, version);
        lock.packages[place!].version = '999.0.0';
        return JSON.stringify(lock);
      };
      assert.notEqual(cacheKey(entries, ['chain-1'], reading(LOCK_FILE, upgrade)), key, place);
    }
  });
}

test('a package that nothing here imports, and a module of another job, leave the rows their name', () => {
  const { classification } = JOBS;
  const key = cacheKey(classification, []);
  const upgrade = (text: string) => text.replace(/("node_modules\/koa": \{\s+"version": ")/, '$1999.');
  assert.notEqual(upgrade(read(LOCK_FILE)), read(LOCK_FILE));
  assert.equal(cacheKey(classification, [], reading(LOCK_FILE, upgrade)), key);
});

test('the nearest copy of a package counts, as Node.js finds it', () => {
  const lock = JSON.stringify({
    packages: {
      'node_modules/a': { version: '1.0.0', dependencies: { b: '^2.0.0' } },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '*' } },
      'node_modules/c': { version: '3.0.0', optionalDependencies: { absent: '*' } },
    },
  });
  assert.deepEqual(lockedPackages(['a'], lock), [
    'node_modules/a 1.0.0 ',
    'node_modules/a/node_modules/b 2.0.0 ',
    'node_modules/c 3.0.0 ',
  ]);
  assert.throws(() => lockedPackages(['unknown'], lock), /does not contain unknown/);
});
