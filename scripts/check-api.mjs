/**
 * Compares the running service with its OpenAPI documents. Needs a build. Redocly and, if installed, vacuum lint the
 * documents, and Schemathesis sends requests. With `--clients`, six generators make clients, which are compiled and
 * used. Needs Python with venv, and Go for the Go client. Packages and data go to a temporary folder.
 *
 *   node scripts/check-api.mjs [--clients] [--examples <number per operation, default 150>]
 */
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './build/ensure-dependencies.mjs';
import { checkClients } from './check-api/clients.mjs';

const SCHEMATHESIS = 'schemathesis==4.32.5';
const { values: options } = parseArgs({
  options: { clients: { type: 'boolean', default: false }, examples: { type: 'string', default: '150' } },
});
const PROGRAM = join(root, 'dist/scripts/hubledger.js');
const NODE = join(root, 'scripts/check-api/contract-node.mjs');
const settings = (name) => join(root, 'scripts/check-api', name);

const folder = mkdtempSync(join(tmpdir(), 'hubledger-check-'));
const otherVariables = Object.entries(process.env).filter(([name]) => !name.startsWith('HUBLEDGER_'));
const environment = {
  ...Object.fromEntries(otherVariables),
  HUBLEDGER_DATA_DIR: join(folder, 'data'),
  HUBLEDGER_PORT: '0',
  HUBLEDGER_BASE_URL: 'https://tax.example',
  // Turns the limit off in practice. 0 is not possible, because responses would then have no quota headers.
  HUBLEDGER_RATE_LIMIT: '1000000000',
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

function run(program, ...args) {
  console.log(
    `▸ ${[program, ...args]
      .join(' ')
      .replaceAll(folder, '…')
      .replaceAll(`${root}/`, '')
      .replace(/hl_\S+/, 'hl_…')}`,
  );
  const { status, error } = spawnSync(program, args, { cwd: folder, env: environment, stdio: 'inherit' });
  if (error) console.error(String(error));
  return status === 0;
}

async function serve(more) {
  const server = spawn(process.execPath, [PROGRAM, 'serve'], {
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let log = '';
  server.stdout.setEncoding('utf8').on('data', (text) => {
    if (log.includes('"listening"')) return;
    log += text;
  });
  while (!log.includes('"listening"')) await once(server.stdout, 'data');
  return { server, url: `http://127.0.0.1:${/"port":(\d+)/.exec(log)[1]}` };
}

const isInstalled = (name) =>
  process.env.PATH.split(delimiter).some((path) => spawnSync('test', ['-x', join(path, name)]).status === 0);

function createKey() {
  const asked = ['keys', 'create', '--account', 'check', '--scopes', 'tax:read,upgrades:webhooks'];
  const { stdout } = spawnSync(process.execPath, [PROGRAM, ...asked], { env: environment, encoding: 'utf8' });
  return stdout.trim().split('\n').at(-1);
}

async function lint(url, api) {
  const document = join(folder, `${api.replace('/', '-')}.json`);
  writeFileSync(document, await (await fetch(`${url}/api/${api}/openapi.json`)).text());
  const valid = run(join(root, 'node_modules/.bin/redocly'), 'lint', '--config', settings('redocly.yaml'), document);
  if (!isInstalled('vacuum')) {
    console.log('▸ vacuum is not installed: its rules are not checked');
    return valid;
  }
  return run('vacuum', 'lint', '-d', '-r', settings('vacuum.yaml'), '--fail-severity', 'warn', document) && valid;
}

function installSchemathesis() {
  const environmentOf = join(folder, 'python');
  return (
    run('python3', '-m', 'venv', environmentOf) && run(join(environmentOf, 'bin/pip'), 'install', '-q', SCHEMATHESIS)
  );
}

function schemathesis(url, api, caller) {
  const asked = ['run', `${url}/api/${api}/openapi.json`, '--url', url, '--checks', 'all', '--no-color'];
  const effort = [
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    options.examples,
    '--generation-deterministic',
  ];
  const config = ['--config-file', settings('schemathesis.toml')];
  return run(join(folder, 'python/bin/schemathesis'), ...config, ...asked, ...effort, ...caller);
}

/** A wallet of the sample dataset with open decisions. */
const UNDECIDED = 'cosmos1xmu6nmlq092xwzejfam55fj0apj5dvf2lpphxv';

/**
 * @param caller Schemathesis options for the caller's credentials
 * @param more another check of the same server
 */
async function checkApi(api, { caller = [], variables = {}, more = () => true }) {
  const { server, url } = await serve(variables);
  try {
    const clean = await lint(url, api);
    const works = await more(url);
    return schemathesis(url, api, caller) && clean && works;
  } finally {
    server.kill('SIGTERM');
    await once(server, 'close');
  }
}

async function checkContractApi() {
  const node = fork(NODE);
  try {
    const [{ port }] = await once(node, 'message');
    const networks = JSON.stringify({ mainnet: [`http://127.0.0.1:${port}`] });
    // 0 turns off all quotas. The quota of the contract API cannot be turned off alone.
    const variables = { HUBLEDGER_NETWORKS: networks, HUBLEDGER_RATE_LIMIT: '0' };
    return await checkApi('v1', { variables });
  } finally {
    node.disconnect();
  }
}

async function check() {
  if (!run(process.execPath, PROGRAM, 'nightly') || !installSchemathesis()) return false;
  const key = createKey();
  const isTaxRight = await checkApi('tax/v1', {
    caller: ['-H', `Authorization: Bearer ${key}`],
    more: (url) =>
      !options.clients || checkClients(settings('clients'), join(folder, 'clients'), { url, address: UNDECIDED, key }),
  });
  return (await checkContractApi()) && isTaxRight;
}

const passed = await check().finally(() => rmSync(folder, { recursive: true, force: true }));
console.log(
  passed ? 'The interface matches its description.' : 'The interface differs from its description; see above.',
);
process.exitCode = passed ? 0 : 1;
