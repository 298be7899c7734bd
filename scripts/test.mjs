/**
 * Installs packages, builds, lints and runs one tier of the tests:
 *
 *   npm test              tests that need only Node.js, and a walk through the pages if Chromium is installed
 *   npm run test:all      all tests except the long ones
 *   npm run test:night    the long ones
 *
 * `npm test -- <word>…` runs test files whose paths contain a word; `--only "<text>"` runs tests whose names contain a text. Both only
 * build and test. `npm run test:night -- <word>…` runs these files with as many random cases as at night.
 */
import './build/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from './build/build.mjs';
import { ensureDependencies, root, run } from './build/ensure-dependencies.mjs';
import { hasProgram, INSTALL, runTests, TIERS, testsOfTier, testsOfWord } from './build/run-tests.mjs';

const PROGRAMS = {
  all: [
    { words: ['dist/test/attack/attack.js', '--short'] },
    { words: ['scripts/check-api.mjs', '--examples', '10'], needs: 'venv' },
  ],
  night: [
    { words: ['dist/test/attack/attack.js'] },
    { words: ['scripts/check-api.mjs', '--clients'], needs: 'venv' },
    { words: ['scripts/check-spark.mjs'], needs: 'java' },
  ],
};

const options = { only: { type: 'string' }, tier: { type: 'string' } };
const { positionals: words, values } = parseArgs({ allowPositionals: true, options });
const isWhole = words.length === 0 && values.only === undefined;
/** Undefined for chosen tests, unless the caller names a tier. */
const tier = values.tier ?? (isWhole ? 'quick' : undefined);
if (tier !== undefined && !TIERS.includes(tier)) throw new Error(`--tier must be one of ${TIERS.join(', ')}`);

/** Returns the test files for the given words. If a word matches no test file, ends the process before the build. */
function requestedTests() {
  if (words.length === 0) return testsOfTier(tier ?? 'quick');
  const found = words.map((word) => testsOfWord(word));
  const unknown = words.filter((_, i) => found[i].length === 0);
  if (unknown.length === 0) return [...new Set(found.flat())];
  console.error(`no test file has ${unknown.join(' or ')} in its path`);
  process.exit(1);
}

/** Runs a step. The step blocks this thread, so a worker thread prints a line every ten seconds. */
function step(title, act) {
  console.log(`▸ ${title}`);
  const line = `  ${title}: still running\n`;
  const speaker = new Worker(`setInterval(() => require('fs').writeSync(1, ${JSON.stringify(line)}), 10_000)`, {
    eval: true,
  });
  act();
  return speaker.terminate();
}

/**
 * Installs programs that tests need, if the user is root. If the installation fails, tests that need a missing program
 * are left out.
 */
async function installPrograms() {
  const { lacksPrograms } = await import('../dist/test/requirements.js');
  const atNight = tier === 'night';
  if (process.getuid?.() !== 0 || !hasProgram('apt-get') || !lacksPrograms(atNight)) return;
  await step('programs that tests run on', () =>
    spawnSync(join(root, INSTALL), atNight ? ['--night'] : [], { stdio: 'inherit' }),
  );
}

const tests = requestedTests();
await step('dependencies', ensureDependencies);
await step('build', build);
if (isWhole) {
  await step('lint', () =>
    run(process.execPath, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  );
  await step('generated files', () => run(process.execPath, 'scripts/build/generate-types.mjs', '--check'));
  if (tier !== 'quick') await installPrograms();
}
console.log(`▸ ${tests.length} test files`);
const files = tests.map((path) => join(root, 'dist', path.replace(/ts$/, 'js')));
process.exit(
  (await runTests(files, { only: values.only, tier, programs: isWhole ? PROGRAMS[tier] : undefined })) ? 0 : 1,
);
