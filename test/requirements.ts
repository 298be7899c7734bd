/**
 * Finds the programs of the system that parts of the tests run on. A part whose program is missing is left out, counts as skipped, and
 * is named in the closing line of the run. `npm test` leaves all such parts to `npm run test:all`, except pages in a browser. Tests find
 * programs here alone.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../pipeline/project.js';

interface Requirement {
  /** The part of the tests that runs on it, as the closing line names it. */
  readonly part: string;
  /** Every such program, or folder of programs, on this machine. */
  readonly find: () => string[];
  /** Set for a right, which is no program: no package gives it, and a CI machine may be without it. */
  readonly isRight?: true;
  /** Set for a program that only `npm run test:night` needs. */
  readonly isNightly?: true;
}

/** Tells whether this user may run a file: another's program may lie in the path without that right. */
function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const onPath = (...names: string[]) =>
  names.flatMap((name) => {
    const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
    return places.filter(isRunnable).slice(0, 1);
  });

/** Tells whether a program runs: Ubuntu's chromium-browser is there without its snap, too, and then does nothing. */
const answers = (program: string) => spawnSync(program, ['--version'], { timeout: 20_000 }).status === 0;

const BROWSERS = ['chromium', 'chromium-headless-shell', 'chromium-browser', 'google-chrome', 'chrome'];
const MAC_BROWSERS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Folders of PostgreSQL's programs: Debian keeps those of the server out of the path, in a folder for each version. */
function postgresFolders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...process.env.PATH!.split(delimiter)];
  const isServer = (folder: string) => ['initdb', 'postgres'].every((program) => isRunnable(join(folder, program)));
  return folders.filter(isServer).slice(0, 1);
}

/** Python with the packages that read exported files, in an environment of their own, which scripts/build/install-test-servers.sh makes. */
const READERS = join(projectRoot(), '.cache/readers/bin/python3');
const imports = (packages: string) => (python: string) =>
  isRunnable(python) && spawnSync(python, ['-c', `import ${packages}`]).status === 0;

/** Returns whether this is a Java that Spark runs on. */
const isJava17 = (java: string) =>
  /version "(1[7-9]|[2-9]\d)/.test(spawnSync(java, ['-version'], { encoding: 'utf8' }).stderr);

/** The command that makes a PID namespace: a process in there is number 1, and it is killed with the process that made the namespace. */
const UNSHARE = 'unshare --pid --fork --kill-child --mount-proc';

/** Words before a command that give it a PID namespace: as root, or else in a user namespace, which not every system allows. */
const namespaces = () =>
  [UNSHARE, `${UNSHARE} --map-root-user`].filter((words) => spawnSync(`${words} true`, { shell: true }).status === 0);

type Kind =
  | 'redis'
  | 'postgres'
  | 'browser'
  | 'pdftotext'
  | 'python'
  | 'venv'
  | 'java'
  | 'readers'
  | 'analysts'
  | 'hledger'
  | 'nginx'
  | 'spreadsheet'
  | 'promtool'
  | 'prometheus'
  | 'curl'
  | 'namespaces';

const REQUIREMENTS: Readonly<Record<Kind, Requirement>> = {
  redis: { part: 'quotas on Redis', find: () => onPath('redis-server', 'valkey-server') },
  postgres: { part: 'the store on PostgreSQL', find: postgresFolders },
  browser: {
    part: 'pages in Chromium',
    find: () =>
      [...onPath(...BROWSERS), ...MAC_BROWSERS.filter((path) => existsSync(path))].filter(answers).slice(0, 1),
  },
  pdftotext: { part: 'pages and forms as PDF', find: () => onPath('pdftotext').slice(0, 1) },
  python: { part: "the webhook receiver's example in Python", find: () => onPath('python3') },
  venv: {
    part: 'the interface in Redocly and Schemathesis',
    find: () => onPath('python3').filter(imports('ensurepip, venv')),
  },
  java: { part: 'tables in Spark', find: () => onPath('java').filter(isJava17), isNightly: true },
  hledger: { part: 'exported files in hledger', find: () => onPath('hledger').slice(0, 1) },
  readers: {
    part: 'exported files in BittyTax and Beancount',
    find: () => [READERS].filter(imports('bittytax, beancount')),
  },
  analysts: {
    part: 'tables in delta-rs, DuckDB, Polars and pandas',
    find: () =>
      [READERS].filter(imports('deltalake, duckdb, duckdb_extension_httpfs, polars, pandas, fsspec, aiohttp')),
  },
  // Debian keeps it out of the path of users.
  nginx: {
    part: 'nodes behind nginx',
    find: () => [...onPath('nginx'), '/usr/sbin/nginx'].filter(isRunnable).slice(0, 1),
  },
  spreadsheet: { part: 'CSV in a spreadsheet', find: () => onPath('soffice', 'libreoffice').slice(0, 1) },
  curl: { part: 'examples in curl', find: () => onPath('curl') },
  promtool: { part: 'alert rules in Prometheus', find: () => onPath('promtool') },
  prometheus: { part: 'metrics that Prometheus collects', find: () => onPath('prometheus') },
  namespaces: { part: 'containers on one data folder', find: () => namespaces().slice(0, 1), isRight: true },
};

/** Returns whether a program is missing that can be installed. */
export const lacksPrograms = (atNight: boolean): boolean =>
  Object.values(REQUIREMENTS).some(
    ({ find, isRight, isNightly }) => !isRight && (atNight || !isNightly) && find().length === 0,
  );

const TIER = process.env.TEST_TIER;

/** Whether this is a run of `npm run test:night`: random tests then try many more cases. */
export const IS_NIGHT = TIER === 'night';

/** Returns the programs of a kind; a part of the tests runs on each. Reports the part as left out if there are none. */
export function programs(kind: Kind): string[] {
  const { part, find, isRight = false } = REQUIREMENTS[kind];
  const isLater = TIER === 'quick' && kind !== 'browser';
  const found = isLater ? [] : find();
  const list = process.env.LEFT_OUT_LIST;
  const why = TIER === 'quick' ? 'later' : isRight ? 'forbidden' : 'missing';
  if (found.length === 0 && list) appendFileSync(list, `${JSON.stringify({ part, why })}\n`);
  return found;
}
