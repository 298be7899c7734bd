import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { projectRoot, versionAndCommit } from '../../pipeline/base/project.js';
import { WALLETS } from '../server/published.js';
import { loaders, program, run } from './run-program.js';

const { PATH, HOME } = process.env;

const COMMANDS = [
  'nightly',
  'worker',
  'pull',
  'verify',
  'refetch',
  'check-nodes',
  'watch-releases',
  'serve',
  'schedule',
  'status',
  'deliver-webhooks',
  'report',
  'explain',
  'export',
  'mcp',
  'accounts',
  'keys',
  'widget-keys',
  'submissions',
  'record-case',
  'fetch-cases',
  'bench',
  'completion',
];

test('--version prints the version of the package, --help lists the commands in groups', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
  assert.deepEqual(run(['--version']), { code: 0, out: `${versionAndCommit()}\n`, error: '' });
  assert.ok(versionAndCommit().startsWith(version));
  const { code, out } = run(['--help']);
  assert.equal(code, 0);
  const listed = [...out.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
  assert.deepEqual(listed, [...COMMANDS, 'help']);
  assert.match(out, /\n\nServe it:\n {2}serve /);
});

test('the examples of each command use options that its help explains', async () => {
  for (const command of COMMANDS) {
    const { declare, examples } = await import(`../../scripts/commands/${command}.js`);
    assert.ok(examples.length > 0, command);
    const declared = new Command(command);
    declare(declared);
    for (const example of examples as string[]) {
      const used = declared.commands.find((sub) => example.split(' ')[0] === sub.name()) ?? declared;
      const options = used.options.map(({ long }) => long);
      for (const option of example.match(/(?<=^| )--[a-z-]+/g) ?? []) assert.ok(options.includes(option), example);
      if (declared.commands.length > 0) assert.notEqual(used, declared, example);
    }
  }
});

test('the help of a command ends with its examples, and of a subcommand too', () => {
  assert.match(run(['nightly', '--help']).out, /\nExamples:\n {2}\.\/hubledger nightly\n/);
  const { out } = run(['keys', 'create', '--help']);
  assert.match(out, /\nExamples:\n {2}\.\/hubledger keys create --account /);
  assert.match(run(['accounts', 'invite', '--help']).out, /stop the server first.*\nExamples:\n/s);
});

test('an error that the operator can fix is one line', () => {
  const cases: [string[], Record<string, string>, RegExp, code?: number][] = [
    [['nightly', '--until', '2026-02-30'], {}, /^hubledger: --until '2026-02-30' is invalid: there is no such day\n$/],
    [['nightly', '--from', '0'], {}, /^hubledger: --from '0' is invalid: it must be a whole number from 1\n$/],
    [['nightly', '--workers', 'two'], {}, /must be a whole number from 0/],
    [['verify', '--accounts', '0'], {}, /must be a whole number from 1/],
    [['verify'], { HUBLEDGER_DATA_DIR: '/nonexistent' }, /^hubledger: nothing is published in \/nonexistent\n$/, 1],
    [['verify', '--all'], {}, /^hubledger: --all needs --against-node or --against-export\n$/],
    [['keys', 'revoke'], {}, /^hubledger: missing required argument 'id'\n$/],
    [['status', '--jsn'], {}, /^hubledger: unknown option '--jsn'; did you mean --json\?\n$/],
    [
      ['bench', '--only', 'none'],
      {},
      /^hubledger: --only must be one of night, fold, replay, requests, growth, not none\n$/,
    ],
    [
      ['bench', '--recording', '/nonexistent'],
      {},
      /^hubledger: --recording: \/nonexistent contains no status\.json\n$/,
    ],
    [['verify', '--dataset', '/nonexistent'], {}, /^hubledger: --dataset: \/nonexistent contains no manifest\.json\n$/],
    [
      ['verify', '--dataset', 'file:///nonexistent'],
      {},
      /^hubledger: --dataset file:\/\/\/nonexistent does not exist\n$/,
    ],
    [['serve', 'now'], {}, /^hubledger: too many arguments for 'serve': expected 0, got 1\n$/],
    [['no-such-command'], {}, /^hubledger: unknown command 'no-such-command'\n$/],
    [['explain', 'cosmos1x'], {}, /^hubledger: <address> 'cosmos1x' is invalid: it must be an address: [^\n]+\n$/],
    [['verify', '--against-export', '/nonexistent'], {}, /^hubledger: --against-export \/nonexistent [^\n]+\n$/],
  ];
  for (const [words, environment, message, expected = 2] of cases) {
    const { code, out, error } = run(words, environment);
    assert.equal(code, expected, words.join(' '));
    assert.match(error, message);
    assert.equal(out, '');
  }
});

test('a wrong variable stops every command with one line and exit code 2, before anything is written', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-variables-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const commands = [
    ['nightly'],
    ['serve'],
    ['schedule'],
    ['status'],
    ['watch-releases'],
    ['verify'],
    ['verify', '--against-node'],
    ['accounts', 'invite'],
    ['keys', 'create', '--account', 'carol', '--scopes', 'tax:read'],
    ['keys', 'list'],
    ['keys', 'revoke', '1'],
    ['widget-keys', 'list'],
    ['submissions', 'list'],
    ['deliver-webhooks'],
    ['bench'],
  ];
  const wrong = [{ HUBLEDGER_NO_SUCH: '1' }, { HUBLEDGER_PORT: '65536' }, { HUBLEDGER_GENESIS: join(folder, 'none') }];
  for (const [i, words] of commands.entries()) {
    const variable = wrong[i % wrong.length]!;
    const { code, out, error } = run(words, { HUBLEDGER_DATA_DIR: join(folder, 'data'), ...variable });
    assert.deepEqual([code, out], [2, ''], words.join(' '));
    assert.match(error, new RegExp(`^hubledger: ${Object.keys(variable)[0]} [^\\n]+\\n$`), words.join(' '));
    assert.deepEqual(readdirSync(folder), [], words.join(' '));
  }
});

test('commands that write to an unwritable data folder end with one line and exit code 2', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-unwritable-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  writeFileSync(join(dataDir, 'locks'), 'no folder');
  const commands = [
    ['nightly'],
    ['schedule'],
    ['watch-releases'],
    ['accounts', 'invite'],
    ['keys', 'list'],
    ['widget-keys', 'list'],
    ['submissions', 'list'],
    ['deliver-webhooks'],
  ];
  for (const words of commands) {
    const { code, out, error } = run(words, { HUBLEDGER_DATA_DIR: dataDir });
    assert.deepEqual([code, out], [2, ''], words.join(' '));
    assert.match(
      error,
      /^hubledger: HUBLEDGER_DATA_DIR: \S+ must be a writable folder that supports Unix sockets: [^\n]+\n$/,
    );
  }
});

test('an unreadable dataset is not reported as missing', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-unreadable-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  mkdirSync(join(dataDir, 'CURRENT')); // what any user is refused to read
  const told = `hubledger: ${join(dataDir, 'CURRENT')} cannot be read: EISDIR: illegal operation on a directory, read\n`;
  for (const words of [
    ['verify'],
    ['export', WALLETS.busy, '--year', '2026', '--profile', 'koinly', '--out', dataDir],
  ]) {
    const { code, error } = run(words, { HUBLEDGER_DATA_DIR: dataDir });
    assert.deepEqual([code, error], [1, told], words.join(' '));
  }
});

test('a server reports an unreadable dataset and waits for another', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-serve-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  mkdirSync(join(dataDir, 'generations/h1-old'), { recursive: true });
  writeFileSync(join(dataDir, 'generations/h1-old/manifest.json'), '{"schema_version":1,"tables":[]}');
  writeFileSync(join(dataDir, 'CURRENT'), 'h1-old\n');
  const child = spawn(process.execPath, [...loaders, program, 'serve'], {
    env: { PATH, HOME, HUBLEDGER_DATA_DIR: dataDir, HUBLEDGER_PORT: '0' },
  });
  t.after(() => child.kill('SIGKILL'));
  let [out, error] = ['', ''];
  child.stderr.on('data', (text) => {
    error += text;
  });
  while (!out.includes('"listening"')) out += (await once(child.stdout, 'data'))[0];
  const { port } = JSON.parse(out.split('\n').find((line) => line.includes('"listening"'))!);
  assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 503);
  child.kill('SIGINT');
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.match(error, /^hubledger: h1-old cannot be served before the next nightly run: [^\n]+\n$/);
});

test('bash completes commands, subcommands and options', () => {
  const completion = run(['completion']).out;
  const completed = (...words: string[]) => {
    const script = `${completion}
COMP_WORDS=(hubledger ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _hubledger; echo "\${COMPREPLY[*]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    assert.equal(stderr, '');
    return stdout.trimEnd();
  };
  assert.equal(completed(''), `${COMMANDS.join(' ')} --version --help`);
  assert.equal(completed('nightly', '--un'), '--until');
  assert.equal(completed('nightly', '--until', '5', '--wor'), '--workers');
  assert.equal(completed('keys', ''), 'create list limit revoke --help');
  assert.equal(completed('keys', 'create', ''), '--account --scopes --name --expires --json --help');
  assert.equal(completed('keys', 'create', '--account', 'a', '--sc'), '--scopes');
});

test('the launcher runs from any folder and through a symbolic link, and reports a missing build', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-launcher-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const launch = (launcher: string) => spawnSync(launcher, ['--version'], { cwd: folder, encoding: 'utf8' });
  symlinkSync(join(projectRoot(), 'hubledger'), join(folder, 'link'));
  assert.equal(launch(join(folder, 'link')).stdout, `${versionAndCommit()}\n`);
  // A checkout without a build.
  const copy = join(folder, 'checkout');
  for (const file of ['hubledger', 'scripts/launch.js', 'scripts/build/require-node.mjs', 'package.json']) {
    cpSync(join(projectRoot(), file), join(copy, file));
  }
  const { status, stdout, stderr } = launch(join(copy, 'hubledger'));
  assert.deepEqual([status, stdout], [1, '']);
  assert.match(stderr, /^hubledger is not built yet: run `npm ci && npm run build`, or `npm start`, in its folder\n$/);
});
