import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../pipeline/config.js';

const program = join(import.meta.dirname, `../../scripts/hubledger${extname(import.meta.filename)}`);
/** How the sources are run where they are not compiled. */
const loaders = process.execArgv.filter((word) => !word.startsWith('--test'));
const { PATH, HOME } = process.env;

function run(words: string[], environment: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loaders, program, ...words], {
    encoding: 'utf8',
    env: { PATH, HOME, ...environment },
  });
  return { code: status, out: stdout, error: stderr };
}

test('--version is that of the package, --help names every command', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
  assert.deepEqual(run(['--version']), { code: 0, out: `${version}\n`, error: '' });
  const help = run(['--help']);
  assert.equal(help.code, 0);
  for (const command of ['nightly', 'serve', 'verify', 'bench', 'completion']) {
    assert.match(help.out, new RegExp(`^ {2}${command} `, 'm'));
  }
});

test('what the operator can mend is one line', () => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [
      ['nightly', '--until', '2026-02-30'],
      {},
      /'--until <height or day>' argument '2026-02-30' is invalid\. There is no such day\.\n$/,
    ],
    [['nightly', '--from', '0'], {}, /must be a whole number from 1/],
    [['nightly', '--workers', 'two'], {}, /must be a whole number from 1/],
    [['nightly'], { HUBLEDGER_NO_SUCH: '1' }, /^hubledger: HUBLEDGER_NO_SUCH is not a variable[^\n]*\n$/],
    [['nightly'], { HUBLEDGER_INDEX_START: 'soon' }, /^hubledger: HUBLEDGER_INDEX_START must be a day[^\n]*\n$/],
    [['verify'], { HUBLEDGER_DATA_DIR: '/nonexistent' }, /^hubledger: nothing is published in \/nonexistent\n$/],
    [['no-such-command'], {}, /unknown command 'no-such-command'/],
  ];
  for (const [words, environment, message] of cases) {
    const { code, out, error } = run(words, environment);
    assert.equal(code, 1, words.join(' '));
    assert.match(error, message);
    assert.equal(out, '');
  }
});

test('bash completes commands and the options of a command', () => {
  const script = `${run(['completion']).out}
COMP_WORDS=(hubledger ''); COMP_CWORD=1; _hubledger; echo "\${COMPREPLY[*]}"
COMP_WORDS=(hubledger nightly --un); COMP_CWORD=2; _hubledger; echo "\${COMPREPLY[*]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(stdout.split('\n'), ['nightly serve verify bench completion --version --help', '--until', '']);
});
