/**
 * Generates clients from the OpenAPI document with six generators. Compiles the clients, and sends requests with them
 * to a running server.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.1';

/**
 * @typedef {{ url: string, address: string, key: string }} Served The running server. `address` is a wallet with open
 * decisions.
 */

/**
 * @param {string} sources scripts/check-api/clients, which fixes the versions of the generators
 * @param {string} folder new folder for the clients
 * @param {Served} served
 * @returns {Promise<boolean>} true if all clients work
 */
export async function checkClients(sources, folder, { url, address, key }) {
  mkdirSync(folder);
  cpSync(sources, folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${url}/api/tax/v1/openapi.json`)).text());
  const inFolder = (program, ...args) => run(folder, program, args);
  const python = (name, ...args) => inFolder(join('python/bin', name), ...args);
  const generator = (language, ...args) =>
    python('openapi-generator-cli', 'generate', '-i', 'openapi.json', '-g', language, ...args);

  const typescript = inFolder('npm', 'ci', '--no-audit', '--no-fund').then(() =>
    Promise.all([
      inFolder('npx', 'openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.d.ts'),
      inFolder('npx', 'openapi-ts', '-f', 'hey-api.config.mjs'),
    ]),
  );
  const installed = inFolder('python3', '-m', 'venv', 'python').then(() =>
    python('pip', 'install', '-q', '--disable-pip-version-check', '-r', 'requirements.txt'),
  );
  const generated = installed.then(() =>
    Promise.all([
      generator('typescript-fetch', '-o', 'typescript-fetch', '--additional-properties=importFileExtension=.js'),
      generator('python', '-o', 'openapi-generator'),
      python('openapi-python-client', 'generate', '--path', 'openapi.json', '--output-path', 'openapi-python-client'),
    ]),
  );
  try {
    await Promise.all([typescript, generated]);
    await Promise.all([
      useTypeScript(inFolder, url, address),
      useGo(inFolder, folder, url, address),
      usePython(python, 'openapi-generator', 'use_openapi_generator.py', [url, address]),
      usePython(python, 'openapi-python-client', 'use_openapi_python_client.py', [url, address, key]),
    ]);
    return true;
  } catch (error) {
    console.error(error.message);
    return false;
  }
}

async function useTypeScript(inFolder, url, address) {
  await inFolder('npx', 'tsc', '-p', 'tsconfig.json');
  for (const name of ['openapi-typescript', 'hey-api', 'typescript-fetch']) {
    await inFolder(process.execPath, `out/use-${name}.mjs`, url, address);
  }
}

/** Checks the Go client. Without Go on this machine, the client is left out. */
async function useGo(inFolder, folder, url, address) {
  if (spawnSync('go', ['version']).status !== 0) {
    console.log('▸ Go is not installed: its client is not generated');
    return;
  }
  const go = (...args) => inFolder('go', '-C', 'go', ...args);
  const generate = ['-package', 'hubledger', '-generate', 'types,client', '-o', 'hubledger/client.go'];
  mkdirSync(join(folder, 'go/hubledger'));
  await go('run', OAPI_CODEGEN, ...generate, '../openapi.json');
  await go('mod', 'tidy');
  await go('vet', './...');
  await go('run', '.', url, address);
}

async function usePython(python, client, program, args) {
  await python('python', '-m', 'compileall', '-q', client);
  const types = ['--strict', '--follow-imports=silent', '--cache-dir', `${client}/.mypy`];
  await python('mypy', ...types, program, { MYPYPATH: client });
  await python('python', program, ...args, { PYTHONPATH: client });
}

async function run(folder, program, args) {
  const more = typeof args.at(-1) === 'object' ? args.pop() : {};
  const shown = [program, ...args].join(' ');
  const child = spawn(program.includes('/') && !program.startsWith('/') ? join(folder, program) : program, args, {
    cwd: folder,
    env: { ...process.env, ...more },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`▸ ${shown.slice(0, 200)} failed with ${code}:\n${said.slice(-4000)}`);
  console.log(`▸ ${shown.slice(0, 100)}`);
}
