/** The project keeps one shape: one place for each thing, nothing dead, nothing unfinished. imports.test.ts has the rules of imports. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VARIABLES } from '../pipeline/config.js';
import { expectNone, files, isTest, isTypeScript, reachable, sources } from './source-files.js';

const stem = (path: string) => path.replace(/^.*\//, '').replace(/\.\w+$/, '');
const inFolder = (folder: string) => files.filter(({ path }) => path.startsWith(folder));
const isQuoted = (name: string) => sources.some(({ code }) => new RegExp(`['"\`/]${name}['"\`/.]`).test(code));

test('the environment is read in one place', () => {
  expectNone(
    sources
      .filter(({ path, code }) => path !== 'pipeline/config.ts' && /\bprocess\s*\.\s*env\b/.test(code))
      .map(({ path }) => path),
  );
});

test('tests find programs of the system in one place, so that a machine without them leaves out their part alone', () => {
  const started = /\b(?:spawn|spawnSync|exec|execSync|execFile|execFileSync)\(\s*['"`](?!(?:ba)?sh['"`])/;
  expectNone(
    files
      .filter(({ path, code }) => isTest(path) && path !== 'test/requirements.ts' && started.test(code))
      .map(({ path }) => path),
  );
});

test('SQL of more than three lines lies in .sql files', () => {
  const sql =
    /`\s*(?:select\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|from\s|(?:create|drop|alter)\s+(?:or\s+replace\s+)?(?:temp\w*\s+)?(?:table|view|macro)\s|copy\s|with\s+\w+\s+as\s|attach\s+')[^`]*`/gi;
  const isLong = (text: string) => text.split('\n').length > 3;
  expectNone(
    sources
      .filter(({ path, code }) => path !== 'pipeline/base/duckdb/table-file.ts' && code.match(sql)?.some(isLong))
      .map(({ path }) => path),
  );
});

test('code names SQL files of tables whole, because keys of cached rows cover the files that it names', () => {
  expectNone(sources.filter(({ code }) => /`tables\/\$\{[^}]*\}`/.test(code)).map(({ path }) => path));
});

test('every classifier and every endpoint is in its registry', () => {
  const registries: [folder: string, registries: string[], member: RegExp][] = [
    ['pipeline/classify/', ['modules/index'], /\b(Event|Message)Classifier\b/],
    ['server/endpoints/', ['index', 'all'], /\b(satisfies|:)\s+Endpoint\b/],
  ];
  expectNone(
    registries.flatMap(([folder, names, member]) => {
      const registry = reachable(names.map((name) => `${folder}${name}.ts`));
      const machinery = new Set([`${folder}classifier.ts`, `${folder}classify-blocks.ts`]);
      return sources
        .filter(({ path, code }) => path.startsWith(folder) && member.test(code) && !machinery.has(path))
        .filter(({ path }) => !registry.has(path))
        .map(({ path }) => path);
    }),
  );
});

/** Files of scripts/ that are run by themselves. */
const PROGRAMS = /^scripts\/([^/]+|build\/document-tables)\.ts$/;
/** Scripts that pages load. */
const PAGES = /^server\/web\/[\w-]+\.tsx?$/;

test('every TypeScript file is reached from a program or a test', () => {
  const programs = sources.filter(({ path }) => PROGRAMS.test(path) || PAGES.test(path)).map(({ path }) => path);
  const product = reachable([...programs, 'server/main.ts']);
  const tests = reachable([
    ...files.filter(({ path }) => path.endsWith('.test.ts')).map(({ path }) => path),
    'test/attack/attack.ts',
    'test/attack/observe.ts',
  ]);
  const isReached = (path: string) => (isTest(path) ? tests.has(path) : product.has(path));
  const isCode = (path: string) => isTypeScript(path) && !path.endsWith('.d.ts');
  expectNone(files.filter(({ path }) => isCode(path) && !isReached(path)).map(({ path }) => path));
});

test('what is exported is used elsewhere', () => {
  const typeScript = files.filter(({ path }) => isTypeScript(path));
  const users = new Map<string, number>();
  for (const { path, code } of files) {
    if (!/\.(tsx?|mjs)$/.test(path)) continue;
    for (const word of new Set(code.match(/\w+/g))) users.set(word, (users.get(word) ?? 0) + 1);
  }
  // Types say what a function takes and gives, and need no other reason.
  const values = /^export (?:async )?(?:const|let|function\*?|class) (\w+)/gm;
  expectNone(
    typeScript.flatMap(({ path, code }) =>
      [...code.matchAll(values)].filter(([, name]) => users.get(name!) === 1).map(([, name]) => `${path}: ${name}`),
    ),
  );
});

test('every import names a file', () => {
  const paths = new Set(files.map(({ path }) => path));
  const isFile = (path: string) => paths.has(path) || path.startsWith('dist/');
  expectNone(
    files.flatMap(({ path, imports }) =>
      isTypeScript(path) ? imports.filter((other) => !isFile(other)).map((other) => `${path} → ${other}`) : [],
    ),
  );
});

test('every SQL file, schema and reference file is used', () => {
  const listed = ['audits', 'queries'].filter(isQuoted).map((folder) => `pipeline/${folder}/`); // read as a folder
  const folders = ['pipeline/', 'server/', 'schemas/', 'data/reference/'];
  const unused = folders.flatMap(inFolder).filter(({ path, text }) => {
    if (/^server\/people\/store\/migrations\//.test(path)) return false; // read as a folder
    if (/^server\/people\/store\/queries\//.test(path))
      return [...text.matchAll(/^-- name: (\S+)$/gm)].some(([, name]) => !isQuoted(`${stem(path)}/${name}`));
    if (path.endsWith('/tsconfig.json')) return false; // the compiler's
    if (path.endsWith('.sql'))
      return !listed.some((folder) => path.startsWith(folder)) && !isQuoted(`tables/${stem(path)}`);
    if (/^data\/reference\/\w+\//.test(path)) return !isQuoted(path.split('/')[2]!);
    return path.endsWith('.json') && !isQuoted(stem(path)) && !isQuoted(`${stem(path)}.json`);
  });
  expectNone(unused.map(({ path }) => path));
});

test('nothing is unfinished, silenced or tied to one machine', () => {
  // The marks are written so that this file does not find itself.
  const marks: [RegExp, RegExp][] = [
    [/./, /\bTO[D]O\b|\bFI[X]ME\b|\bXX[X]\b/],
    [/\.(tsx?|mjs)$/, /@ts-(ignor[e]|expect-erro[r]|nochec[k])|biome-ignor[e]|eslint-disabl[e]/],
    [/\.(ts|mjs)$/, /\.(only|ski[p]|tod[o])\(|\b(skip|only|todo): tru[e]\b/],
    [/./, /(?<![\w.])\/(wor[k]|tm[p]|hom[e]|roo[t])\/|\.\.\/share[d]\//],
  ];
  expectNone(
    files
      .filter(({ path }) => !path.endsWith('.generated.ts') && !path.endsWith('npm-shrinkwrap.json'))
      .flatMap(({ path, text }) =>
        marks
          .filter(([where]) => where.test(path))
          .flatMap(([, mark]) => mark.exec(text)?.[0] ?? [])
          .map((found) => `${path}: ${found}`),
      ),
  );
});

test('the page of variables names every one, and the CHANGELOG has a section for what comes next', () => {
  const text = (name: string) => files.find(({ path }) => path === name)?.text ?? '';
  expectNone(
    Object.keys(VARIABLES).filter((name) => !text('docs/operations/configuration.md').includes(`\`${name}\``)),
  );
  assert.match(text('CHANGELOG.md'), /^## Unreleased\n/m);
});
