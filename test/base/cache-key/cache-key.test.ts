/** Kept rows are named by everything that makes them: no part of it can change without another name. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cacheKey, type ReadFile } from '../../../pipeline/base/cache-key/cache-key.js';
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

const LOCK_FILE = join(projectRoot(), 'npm-shrinkwrap.json');
const read: ReadFile = (path) => readFileSync(path, 'utf8');

/** A reader of the program in which one file is another. */
const reading =
  (changed: string, change: (text: string) => string): ReadFile =>
  (path) =>
    path === changed ? change(read(path)) : read(path);

/** Returns the files that the key of a job covers. */
function coveredBy(entries: readonly string[]): string[] {
  const paths = new Set<string>();
  cacheKey(entries, [], (path) => {
    paths.add(path);
    return read(path);
  });
  paths.delete(LOCK_FILE);
  return [...paths];
}

/** Returns the key of a job with another version of the package at this place of npm-shrinkwrap.json. */
const keyWithUpgrade = (entries: readonly string[], data: unknown, place: string): string =>
  cacheKey(
    entries,
    data,
    reading(LOCK_FILE, (text) => {
      const lock = JSON.parse(text);
      lock.packages[place].version = '999.0.0';
      return JSON.stringify(lock);
    }),
  );

/** Returns the place in npm-shrinkwrap.json of a file of a package. */
const placeOf = (path: string) =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(relative(projectRoot(), path).split(sep).join('/'))![0];

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
  const covered = coveredBy(entries);
  const loaded = loadedWith(entries);
  const isForeign = (path: string) => path.includes(`${sep}node_modules${sep}`);
  const places = [...new Set(loaded.filter(isForeign).map(placeOf))];

  test(`the key of ${job} covers every module that Node.js loads`, () => {
    assert.ok(places.length > 0, 'packages are loaded, too');
    assert.deepEqual(
      loaded.filter((path) => !isForeign(path) && !covered.includes(path)),
      [],
    );
  });

  test(`one character in any file that rows of ${job} rest on names them anew`, () => {
    assert.ok(covered.some((path) => path.endsWith(join('values', 'amount.js'))));
    assert.ok(covered.some((path) => path.endsWith('.sql')) && covered.some((path) => path.endsWith('.json')));
    const key = cacheKey(entries, []);
    assert.match(key, /^[0-9a-f]{16}$/);
    assert.equal(cacheKey(entries, []), key);
    for (const path of covered) {
      const other = cacheKey(
        entries,
        [],
        reading(path, (text) => `${text} `),
      );
      assert.notEqual(other, key, path);
    }
  });

  test(`another version of any package that ${job} loads, and other data, name its rows anew`, () => {
    const key = cacheKey(entries, ['chain-1']);
    assert.notEqual(cacheKey(entries, ['chain-2']), key);
    for (const place of places) assert.notEqual(keyWithUpgrade(entries, ['chain-1'], place), key, place);
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
  /** The key of a module that imports a package, with this lock file. */
  const keyOf = (name: string, text: string) =>
    cacheKey(['/module.ts'], [], (path) => (path === LOCK_FILE ? text : `import '${name}';`));
  const upgraded = (place: string) => lock.replace(`"${place}":{"version":"`, `"${place}":{"version":"9`);
  const key = keyOf('a', lock);
  for (const place of ['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c'])
    assert.notEqual(keyOf('a', upgraded(place)), key, place);
  assert.notEqual(upgraded('node_modules/b'), lock);
  assert.equal(keyOf('a', upgraded('node_modules/b')), key);
  assert.throws(() => keyOf('unknown', lock), /does not contain unknown/);
});
