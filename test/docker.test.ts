/** The image and its services: what no container engine is needed to see. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../pipeline/base/project.js';
import { VARIABLES } from '../pipeline/config.js';
import { files } from './source-files.js';

const text = (name: string) => files.find(({ path }) => path === name)!.text;

test('both stages have one version of Node.js, that of .nvmrc', () => {
  const versions = [...text('Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version);
  const version = text('.nvmrc').trim();
  assert.match(version, /^24\.\d+\.\d+$/);
  assert.deepEqual(versions, [version, version]);
});

test('.env.example explains every variable', () => {
  const names = new Set(text('.env.example').match(/HUBLEDGER_\w+/g));
  assert.deepEqual([...names].sort(), Object.keys(VARIABLES).sort());
});

/** Name → text of each service of compose.yaml. */
const services = new Map(
  text('compose.yaml')
    .split('\nservices:\n')[1]!
    .split('\nvolumes:\n')[0]!
    .split(/\n(?= {2}\w+:\n)/)
    .map((service) => [/^ {2}(\w+):$/m.exec(service)![1]!, service]),
);

test('every service runs under the same restrictions, with a limit of memory', () => {
  assert.deepEqual([...services.keys()], ['night', 'server', 'schedule']);
  for (const [name, service] of services) {
    assert.match(service, /<<: \*hubledger/, name);
    assert.match(service, /^ {4}mem_limit: \dg$/m, name);
  }
  const [shared] = text('compose.yaml').split('\nservices:\n');
  for (const line of [
    'init: true',
    'stop_grace_period: 30s',
    'read_only: true',
    'path: .env',
    'cap_drop:\n    - ALL',
    '- no-new-privileges:true',
  ]) {
    assert.ok(shared!.includes(line), line);
  }
  assert.match(text('Dockerfile'), /^USER node$/m);
});

test('one service builds the image of all, and none pulls it', () => {
  const building = [...services].filter(([, service]) => service.includes('build:')).map(([name]) => name);
  assert.deepEqual(building, ['night']);
  const [shared] = text('compose.yaml').split('\nservices:\n');
  assert.match(shared!, /^ {2}image: hubledger\n {2}pull_policy: never$/m);
  assert.doesNotMatch(shared!, /build:/);
});

test('only the server is checked for health', () => {
  const unchecked = [...services].filter(([, service]) => /healthcheck:\n {6}disable: true/.test(service));
  assert.deepEqual(
    unchecked.map(([name]) => name),
    ['night', 'schedule'],
  );
});

test('the health check passes for a server that answers 200, and fails otherwise', async () => {
  const [, command] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(text('Dockerfile'))!;
  const [, ...args] = JSON.parse(command!) as string[];
  let status = 200;
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const exitCode = async () => {
    const check = spawn(process.execPath, args, { env: { HUBLEDGER_PORT: String(port) }, stdio: 'inherit' });
    const [code] = await once(check, 'exit');
    return code;
  };
  assert.equal(await exitCode(), 0);
  status = 503;
  assert.equal(await exitCode(), 1);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  assert.equal(await exitCode(), 1);
  assert.deepEqual(asked, ['/healthz', '/healthz']);
});

test('the image copies paths that exist, and every SQL file', () => {
  const copied = [...text('Dockerfile').matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths]) =>
    paths!.split(' ').map((path) => path.replace(/^\/app\//, '').replace(/\*\.sql$/, '')),
  );
  const isMade = (path: string) => path === 'node_modules' || path === 'dist';
  const missing = copied.filter((path) => !isMade(path) && !existsSync(join(projectRoot(), path)));
  assert.deepEqual(missing, []);
  const queries = files.filter(({ path }) => path.endsWith('.sql') && !path.startsWith('test/'));
  assert.ok(queries.length > 0);
  const left = queries.filter(({ path }) => !copied.some((one) => path.startsWith(one)));
  assert.deepEqual(
    left.map(({ path }) => path),
    [],
  );
});

test('the packages that the image cuts down are loaded from what it leaves', () => {
  const [, removed] = /rm -rf (ccxt\S*(?: pdf-lib\S*)+)/.exec(text('Dockerfile'))!;
  const folders = removed!.split(' ').map((path) => pathToFileURL(join(projectRoot(), 'node_modules', path)).href);
  for (const name of ['ccxt', 'pdf-lib']) {
    const entry = import.meta.resolve(name);
    assert.ok(
      folders.every((folder) => !entry.startsWith(`${folder}/`)),
      entry,
    );
  }
});
