/**
 * `npm test`: installs what is missing, builds, lints, looks for stale generated files and runs the tests. Exit code 0 only when
 * everything passed that could run on this machine; in CI only when everything did.
 *
 * `npm test -- <word>…` runs the test files with one of the words in their paths, `--only "<name>"` the tests with that text in their
 * names. Such a run is for working on something: it builds and tests, and neither lints nor installs programs.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build/build.mjs';
import { ensureDependencies, root, run } from './build/ensure-dependencies.mjs';
import { hasProgram, INSTALL, isAsked, runTests } from './build/run-tests.mjs';

const { positionals: words, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });

/** Installs, as root of a container or a CI machine, programs that parts of the tests run on. Where that fails, those are left out. */
async function installPrograms() {
  const { lacksPrograms } = await import('../dist/test/requirements.js');
  if (process.getuid?.() !== 0 || !hasProgram('apt-get') || !lacksPrograms()) return;
  console.log('▸ programs that tests run on');
  spawnSync(join(root, INSTALL), { stdio: 'inherit' });
}

function testFiles() {
  const all = readdirSync(join(root, 'dist/test'), { recursive: true }).filter((file) => file.endsWith('.test.js'));
  return all.filter((file) => isAsked(file, words)).sort();
}

ensureDependencies();
console.log('▸ build');
build();
if (words.length === 0 && values.only === undefined) {
  console.log('▸ lint');
  run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.');
  console.log('▸ generated files');
  run(process.execPath, 'scripts/build/generate-types.mjs', '--check');
  await installPrograms();
}
const files = testFiles();
if (files.length === 0) console.error(`no test file has ${words.join(' or ')} in its path`);
else console.log(`▸ ${files.length} test files`);
const isGood =
  files.length > 0 &&
  (await runTests(
    files.map((file) => join(root, 'dist/test', file)),
    values.only,
  ));
process.exit(isGood ? 0 : 1);
