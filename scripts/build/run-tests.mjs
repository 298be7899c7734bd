/**
 * Runs test files by node:test, some at a time, and says in a closing line which of their parts this machine has no programs for.
 * It is also a program of its own: `node scripts/build/run-tests.mjs <file>…`
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { makeTestFolder } from './test-folder.mjs';

/** Milliseconds after which a file or test has failed that does not end, as one that left a server running: it would hold up all others. */
const TEST_MAX_MS = 900_000;

export const INSTALL = 'scripts/build/install-test-servers.sh';

export const hasProgram = (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
const isCI = !['', '0', 'false'].includes(process.env.CI ?? '');

/** The command that installs what the parts left out run on. */
function howToInstall() {
  if (hasProgram('apt-get')) return INSTALL;
  if (hasProgram('brew')) return 'brew install redis postgresql python && brew install --cask chromium';
  return "the system's package manager, with Redis or Valkey, PostgreSQL, Chromium, Python 3";
}

/** Test files that take longest, the longest first: one that began last would be waited for alone. */
const LONGEST = [
  'run-night',
  'damaged-data',
  'browser/report',
  'recorded-exports',
  'idempotency',
  'nightly',
  'bench',
  'holdings-night',
  'partial-holdings',
  'containers',
  'recorded-chain',
  'store/store',
  'deliver-steadily',
  'submissions',
  'webhooks',
  'browser/',
];

/** Tells whether the source of a compiled test file, below test/, has one of the words in its path; without words, all are asked for. */
export const isAsked = (file, words) =>
  words.length === 0 || words.some((word) => `test/${file.replace(/js$/, 'ts')}`.includes(word));

/** Puts the files that take longest first. */
function longestFirst(files) {
  const rank = (file) => {
    const found = LONGEST.findIndex((stem) => file.includes(stem));
    return found < 0 ? LONGEST.length : found;
  };
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/** One more file at a time than there are cores: tests wait for processes, clocks and disks, too. */
const CONCURRENCY = availableParallelism() + 1;

/**
 * Bytes of bytecode that a function runs before Node.js 20 compiles it once more, eight times as many as usual: most files are over
 * before it has paid. Later Node.js has a cheap compiler before the costly one, and no such setting.
 */
if (process.versions.node.startsWith('20.')) process.execArgv.push('--interrupt-budget=1056000');

/** Runs the files and shows what node:test tells. @returns how many tests passed and failed */
async function showTests(files, only) {
  const counts = { passed: 0, failed: 0 };
  // Some versions of Node.js tell of tests with other names as skipped, some of each file as a test.
  const isTest = ({ name, skip }) => skip === undefined && !files.includes(name);
  const pattern = only?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const events = run({
    files: longestFirst(files),
    concurrency: CONCURRENCY,
    timeout: TEST_MAX_MS,
    ...(pattern && { testNamePatterns: [pattern] }),
  });
  events.on('test:fail', () => {
    counts.failed += 1;
  });
  events.on('test:pass', (test) => {
    if (isTest(test) && test.details.type !== 'suite') counts.passed += 1;
  });
  /** Leaves out the events of tests that nobody asked for. */
  async function* withoutOthers(told) {
    let starts = [];
    for await (const event of told) {
      if (event.type === 'test:start') starts.push(event);
      else if (event.type === 'test:pass' && !isTest(event.data)) starts.pop();
      else {
        yield* starts;
        starts = [];
        yield event;
      }
    }
  }
  const output = (pattern ? events.compose(withoutOthers) : events).compose(spec());
  output.pipe(process.stdout, { end: false });
  await finished(output);
  return counts;
}

/**
 * Runs tests and prints the closing line.
 * @param files absolute paths
 * @param only text in the names of the tests to run; all of them when not given
 * @returns whether at least one test ran, none failed and, in CI, no part was left out for lack of a program
 */
export async function runTests(files, only) {
  const { folder, remove } = makeTestFolder();
  const list = join(folder, 'left-out');
  writeFileSync(list, '');
  // The operator's own settings must not decide what a test sees.
  for (const name of Object.keys(process.env)) if (name.startsWith('HUBLEDGER_')) delete process.env[name];
  process.env.LEFT_OUT_LIST = list;
  process.env.TEST_RUN_FOLDER = folder;
  const { passed, failed } = await showTests(files, only);
  const lines = [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))].sort();
  await remove();
  if (passed + failed === 0) console.log(only === undefined ? 'no test ran' : `no test has ${only} in its name`);
  const leftOut = lines.map((line) => JSON.parse(line));
  sayLeftOut(leftOut);
  return passed > 0 && failed === 0 && !(isCI && leftOut.some(({ isRight }) => !isRight));
}

/** Prints the closing line, where something was left out. */
function sayLeftOut(leftOut) {
  const partsOf = (right) => leftOut.flatMap(({ part, isRight }) => (isRight === right ? [part] : [])).join(', ');
  const [unprogrammed, forbidden] = [partsOf(false), partsOf(true)];
  const clauses = [
    forbidden && `left out, as this system does not allow it: ${forbidden}`,
    unprogrammed &&
      `left out${isCI ? ', which fails in CI' : ''}, for lack of their programs: ${unprogrammed}; installed by ${howToInstall()}`,
  ];
  if (leftOut.length > 0) console.log(clauses.filter(Boolean).join('; '));
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = (await runTests(process.argv.slice(2).map((file) => resolve(file)))) ? 0 : 1;
}
