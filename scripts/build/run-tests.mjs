/**
 * Runs test files with node:test, several at a time. Prints a line for each finished file, a report of each failed
 * test, and the totals. The last line names the files that failed. It can also be run directly: `node scripts/build/run-tests.mjs <compiled test file>…`
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { root } from './ensure-dependencies.mjs';

/** Timeout of a test file or test. It ends runs in which a test has left a server running. */
const TEST_MAX_MS = 1_800_000;

const QUIET_MAX_MS = 15_000;

/**
 * Number of test files that run at the same time. It is higher than the number of cores, because tests spend a third of
 * their time waiting.
 */
const CONCURRENCY = availableParallelism() + 2;

export const INSTALL = 'scripts/build/install-test-servers.sh';

export const hasProgram = (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
const isCI = !['', '0', 'false'].includes(process.env.CI ?? '');

/**
 * V8 options for short programs. They cause fewer garbage collections, and compile WebAssembly (the embedded store)
 * only once.
 */
process.execArgv.push('--max-semi-space-size=64', '--liftoff-only');
if (process.versions.node.startsWith('20.')) process.execArgv.push('--interrupt-budget=1056000');

export const TIERS = ['quick', 'all', 'night'];

/**
 * Tier of each test file that is not in the fastest tier. Keys are paths below test/ without `.test.ts`. A key that
 * ends with a slash is a folder.
 */
export const tiers = JSON.parse(readFileSync(join(root, 'test/tiers.json'), 'utf8'));

function fits(entry, path) {
  const stem = path.replace(/^test\/|\.test\.ts$/g, '');
  return stem === entry || (entry.endsWith('/') && stem.startsWith(entry));
}

/**
 * Returns the tier of a test file. The longest key that is a prefix of the path decides. Without such a key, the tier
 * is `quick`.
 */
function tierOf(path) {
  const entries = TIERS.flatMap((tier) => tiers[tier].map((entry) => ({ tier, entry })));
  const [found] = entries.filter(({ entry }) => fits(entry, path)).sort((a, b) => b.entry.length - a.entry.length);
  return found?.tier ?? 'quick';
}

export function listTests() {
  const names = readdirSync(join(root, 'test'), { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => `test/${name.replaceAll('\\', '/')}`).sort();
}

export function testsOfTier(tier, tests = listTests()) {
  const isFirst = (path) => tiers.first.some((entry) => fits(entry, path));
  const ordered = [...tests.filter(isFirst), ...tests.filter((path) => !isFirst(path))];
  const inTier = (...wanted) => ordered.filter((path) => wanted.includes(tierOf(path)));
  if (tier === 'quick') return inTier('quick');
  if (tier === 'all') return [...inTier('all'), ...inTier('quick')];
  const longer = tests.filter((path) => tiers.longerAtNight.some((entry) => fits(entry, path)));
  return [...new Set([...inTier('night'), ...longer])];
}

/**
 * Returns the test files whose paths contain a word. Leaves out slow browser tests if other tests also match, unless
 * the word contains
 * `browser`.
 */
export function testsOfWord(word, tests = listTests()) {
  const found = tests.filter((path) => path.includes(word));
  const others = found.filter((path) => !/browser\//.test(path));
  return word.includes('browser') || others.length === 0 ? found : others;
}

class Output {
  running = new Map();
  last = Date.now();
  timer = setInterval(() => {
    if (Date.now() - this.last >= QUIET_MAX_MS) this.print(`still running: ${[...this.running].map(ageOf).join(', ')}`);
  }, 1000);

  print(text) {
    this.last = Date.now();
    process.stdout.write(`${text}\n`);
  }

  end() {
    clearInterval(this.timer);
  }
}

const secondsSince = (start) => ((Date.now() - start) / 1000).toFixed(1);
const ageOf = ([name, start]) => `${name} (${secondsSince(start)} s)`;

const nameOf = (file) => relative(join(root, 'dist'), file).replace(/\.js$/, '.ts');

/** Adds a finished test to the totals. Suites and files are not counted as tests, except if they fail themselves. */
function count(totals, { name, skip, todo, details }, hasPassed, file) {
  const failure = details.error?.failureType;
  const isTest = details.type !== 'suite' && name !== file;
  if (details.type === 'suite') totals.suites += 1;
  if (failure === 'cancelledByParent') totals.cancelled += 1;
  else if (!hasPassed && (isTest || failure !== 'subtestsFailed')) totals.fail += 1;
  // Some versions of Node.js report a test as skipped if its name does not match the pattern. Such a test is not
  // counted.
  else if (isTest && skip === undefined) totals[todo === undefined ? 'pass' : 'todo'] += 1;
}

/** @returns the report of failed tests; empty if all passed */
async function runFile(file, pattern, totals) {
  const [output, failed, starts] = [[], [], []];
  const options = { files: [file], timeout: TEST_MAX_MS, ...(pattern && { testNamePatterns: [pattern] }) };
  for await (const event of run(options)) {
    const { type, data } = event;
    if (type === 'test:start') starts.push(event);
    else if (type === 'test:stdout' || type === 'test:stderr') output.push(event);
    else if (type === 'test:pass' || type === 'test:fail') {
      count(totals, data, type === 'test:pass', file);
      if (type === 'test:pass') starts.pop();
      else failed.push(...starts.splice(0), event);
    }
  }
  if (failed.length === 0) return '';
  const report = (await Readable.from(failed).compose(new spec()).toArray()).join('');
  // Takes the errors at the end of the report, where all versions of Node.js print them. Some versions also print them
  // earlier.
  const errors = report.slice(Math.max(0, report.search(/\S*✖ failing tests:/)));
  return `${output.map(({ data }) => data.message).join('')}${errors}`;
}

/** Runs a program. @returns true if its exit code was 0; undefined if the program cannot run on this machine */
async function runProgram({ words, needs }, output) {
  const { programs } = await import('../../dist/test/requirements.js');
  if (needs && programs(needs).length === 0) return undefined;
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => output.print(text.replace(/\n$/, '')));
  }
  const [code] = await once(child, 'close');
  return code === 0;
}

async function runFiles(files, { only, programs = [] }) {
  const totals = { suites: 0, pass: 0, fail: 0, cancelled: 0, todo: 0 };
  const pattern = only?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const output = new Output();
  const failedFiles = [];
  const waiting = [...files];
  let finished = 0;
  const announce = (name, start) => {
    const count = `${++finished}/${files.length + programs.length}`;
    output.running.delete(name);
    output.print(`${count}  ${name}  ${secondsSince(start)} s  ${failedFiles.length} failed`);
  };
  const workOnFile = async (file) => {
    const [name, start] = [nameOf(file), Date.now()];
    output.running.set(name, start);
    const report = await runFile(file, pattern, totals);
    if (report !== '') {
      failedFiles.push(name);
      output.print(report);
    }
    announce(name, start);
  };
  const workOnProgram = async (program) => {
    const [name, start] = [program.words.join(' '), Date.now()];
    output.running.set(name, start);
    const passed = await runProgram(program, output);
    if (passed === false) failedFiles.push(name);
    if (passed !== undefined) totals[passed ? 'pass' : 'fail'] += 1;
    announce(name, start);
  };
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await workOnFile(file);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  await Promise.all(programs.map(workOnProgram));
  output.end();
  return { totals, failedFiles };
}

function printTotals({ suites, pass, fail, cancelled, todo }, skipped, start) {
  const tests = pass + fail + cancelled + todo + skipped;
  const totals = { tests, suites, pass, fail, cancelled, skipped, todo, duration_ms: Date.now() - start };
  for (const [name, total] of Object.entries(totals)) console.log(`ℹ ${name} ${total}`);
}

function howToInstall() {
  if (hasProgram('apt-get')) return INSTALL;
  if (hasProgram('brew')) return 'brew install redis postgresql python && brew install --cask chromium';
  return "the system's package manager, with Redis or Valkey, PostgreSQL, Chromium, Python 3";
}

function closingLines(leftOut, tier) {
  const partsOf = (why) =>
    [...new Set(leftOut.flatMap((one) => (one.why === why ? [one.part] : [])))].sort().join(', ');
  const [forbidden, missing, later] = ['forbidden', 'missing', 'later'].map(partsOf);
  const filesOf = (one) => testsOfTier(one).length;
  return [
    forbidden && `left out, because this system does not allow it: ${forbidden}`,
    missing &&
      `left out${isCI ? ', which fails in CI' : ''}, for lack of programs: ${missing}; to install: ${howToInstall()}`,
    tier === 'quick' &&
      `left to npm run test:all: ${filesOf('all') - filesOf('quick')} files${later && `, and parts: ${later}`}`,
    tier !== undefined && tier !== 'night' && `left to npm run test:night: ${filesOf('night')} files`,
  ].filter(Boolean);
}

/** Temporary files are kept in memory if at least this much memory is free. A run needs up to a tenth of it. */
const FREE_MIN_BYTES = 6e9;
const IN_MEMORY = '/dev/shm';

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return Math.min(bavail * bsize, freemem()) >= FREE_MIN_BYTES;
  } catch {
    return false; // the folder does not exist on this system
  }
}

/**
 * Creates a temporary folder that other users' servers can read. If there is enough memory, the folder is in memory,
 * because each store writes a thousand files at startup.
 */
function makeTestFolder() {
  const before = tmpdir();
  // The name is short, because the path of a socket may have only about 100 characters.
  const folder = mkdtempSync(join(hasRoom() ? IN_MEMORY : before, 'hl-'));
  const temporary = join(folder, 't');
  mkdirSync(temporary);
  for (const path of [folder, temporary]) chmodSync(path, 0o755);
  process.env.TMPDIR = temporary;
  return {
    folder,
    async remove() {
      process.env.TMPDIR = before;
      const names = readdirSync(temporary).filter((name) => name.startsWith('hubledger-screenshots-'));
      for (const name of names) cpSync(join(temporary, name), join(before, name), { recursive: true });
      // Retries are needed, because a program may still write files while it ends. This function lists the folder again
      // for each retry; rmSync would not.
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/**
 * @param files absolute paths of compiled test files
 * @param options.only text that the names of the tests must contain
 * @param options.tier undefined for chosen tests, unless the user named a tier
 * @param options.programs run after the files: arguments of `node`, and the kind of program that they need
 * @returns false if no test ran or one failed; in CI, also if tests were left out because a program was missing
 */
export async function runTests(files, { only, tier, programs } = {}) {
  const start = Date.now();
  const { folder, remove } = makeTestFolder();
  const list = join(folder, 'left-out');
  writeFileSync(list, '');
  // Tests must not depend on the user's own variables.
  for (const name of Object.keys(process.env)) if (name.startsWith('HUBLEDGER_')) delete process.env[name];
  Object.assign(process.env, { LEFT_OUT_LIST: list, TEST_RUN_FOLDER: folder, TEST_TIER: tier ?? '' });
  const { totals, failedFiles } = await runFiles(files, { only, programs });
  const leftOut = readFileSync(list, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  await remove();
  printTotals(totals, leftOut.length, start);
  if (totals.pass + totals.fail === 0)
    console.log(only === undefined ? 'no test ran' : `no test has ${only} in its name`);
  const closing = closingLines(leftOut, tier);
  if (closing.length > 0) console.log(closing.join('; '));
  if (failedFiles.length > 0) console.log(`failed: ${failedFiles.join(', ')}`);
  return totals.pass > 0 && failedFiles.length === 0 && !(isCI && leftOut.some(({ why }) => why === 'missing'));
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = (await runTests(process.argv.slice(2).map((file) => resolve(file)))) ? 0 : 1;
}
