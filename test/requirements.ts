/**
 * Finds system programs for parts of the tests. A part without its program is skipped and named at the end of the run. `npm test`
 * leaves these parts to `npm run test:all`, except pages in a browser.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../pipeline/base/project.js';

interface Requirement {
  /** Name of the part in the last line. */
  readonly part: string;
  /** Returns the programs, or folders of programs, on this machine. */
  readonly find: () => string[];
  /** Set for a permission instead of a program; a CI machine may lack it. */
  readonly isRight?: true;
  /** Set if only `npm run test:night` needs it. */
  readonly isNightly?: true;
}

/** Returns whether this user may run a file. */
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

/** Returns whether a program runs: Ubuntu's chromium-browser exists without its snap, but does nothing. */
const answers = (program: string) => spawnSync(program, ['--version'], { timeout: 120_000 }).status === 0;

const BROWSERS = ['chromium', 'chromium-headless-shell', 'chromium-browser', 'google-chrome', 'chrome'];
const MAC_BROWSERS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

/** Finds PostgreSQL's programs. Debian keeps the server's programs outside the path, in a folder per version. */
function postgresFolders(): string[] {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...process.env.PATH!.split(delimiter)];
  const isServer = (folder: string) => ['initdb', 'postgres'].every((program) => isRunnable(join(folder, program)));
  return folders.filter(isServer).slice(0, 1);
}

/** Python environment with packages that read exported files, made by scripts/build/install-test-servers.sh. */
const READERS = join(projectRoot(), '.cache/readers/bin/python3');
const imports = (packages: string) => (python: string) =>
  isRunnable(python) && spawnSync(python, ['-c', `import ${packages}`]).status === 0;

/** Returns whether this is a Java that Spark runs on. */
const isJava17 = (java: string) =>
  /version "(1[7-9]|[2-9]\d)/.test(spawnSync(java, ['-version'], { encoding: 'utf8' }).stderr);

/** Makes a PID namespace. Its first process has id 1 and is killed with the process that made the namespace. */
const UNSHARE = 'unshare --pid --fork --kill-child --mount-proc';

/** Returns words before a command that give it a PID namespace: as root, or in a user namespace if the system allows it. */
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
  | 's3'
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
      [READERS].filter(
        imports('deltalake, duckdb, duckdb_cli, duckdb_extension_httpfs, polars, pandas, fsspec, aiohttp'),
      ),
  },
  s3: {
    part: 'object stores on S3',
    find: () => [READERS].filter(imports('moto, flask, flask_cors, py_partiql_parser')),
  },
  // Outside the path of users on Debian.
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

/** Returns whether an installable program is missing. */
export const lacksPrograms = (atNight: boolean): boolean =>
  Object.values(REQUIREMENTS).some(
    ({ find, isRight, isNightly }) => !isRight && (atNight || !isNightly) && find().length === 0,
  );

const TIER = process.env.TEST_TIER;

/** True for `npm run test:night`: random tests then try many more cases. */
export const IS_NIGHT = TIER === 'night';

/** Returns the programs of a kind; tests run on each. Without any, reports the part as left out. */
export function programs(kind: Kind): string[] {
  const { part, find, isRight = false } = REQUIREMENTS[kind];
  const isLater = TIER === 'quick' && kind !== 'browser';
  const found = isLater ? [] : find();
  const list = process.env.LEFT_OUT_LIST;
  const why = TIER === 'quick' ? 'later' : isRight ? 'forbidden' : 'missing';
  if (found.length === 0 && list) appendFileSync(list, `${JSON.stringify({ part, why })}\n`);
  return found;
}
