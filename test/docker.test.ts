/** The image and its services: what no container engine is needed to see. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
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

interface Service {
  readonly image: string;
  readonly pull_policy?: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly mem_limit: string;
  readonly healthcheck?: { readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, unknown>> | readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly networks?: readonly string[];
}

/** Returns passwords and keys in a service's variables. */
const secretsIn = ({ environment = {} }: Service) =>
  Object.entries(environment).flatMap(([name, value]) => {
    if (name.endsWith('_URL')) return /:([^:@/]+)@/.exec(value)?.slice(1) ?? [];
    return /SECRET|AUTH|QUEUE_KEY/.test(name) ? [value] : [];
  });

const compose = parse(text('compose.yaml'), { merge: true });
const services = new Map<string, Service>(Object.entries(compose.services));
/** Services of the image. All others are in the profile `many`. */
const own = new Map([...services].filter(([, { image }]) => image === 'hubledger'));

test('every service of the image runs under the same restrictions, and each service has a limit of memory', () => {
  const { volumes: _, ...restrictions } = compose['x-hubledger'];
  for (const [name, service] of services) assert.match(service.mem_limit, /^\d+[gm]$/, name);
  for (const [name, service] of own) {
    for (const [key, value] of Object.entries(restrictions)) {
      if (key !== 'restart') assert.deepEqual(service[key as keyof Service], value, `${name} ${key}`);
    }
  }
  assert.deepEqual(restrictions.cap_drop, ['ALL']);
  assert.deepEqual(restrictions.security_opt, ['no-new-privileges:true']);
  assert.deepEqual([restrictions.read_only, restrictions.init, restrictions.stop_grace_period], [true, true, '30s']);
  assert.equal(restrictions.env_file[0].path, '.env');
  assert.match(text('Dockerfile'), /^USER node$/m);
});

test('the profile `many` adds to the three services of one machine', () => {
  const usual = [...services].filter(([, { profiles }]) => profiles === undefined).map(([name]) => name);
  assert.deepEqual(usual, ['night', 'server', 'schedule']);
  const known = new Set(Object.keys(VARIABLES));
  for (const [name, { profiles, depends_on = {}, environment = {}, volumes = [] }] of services) {
    if (profiles === undefined) continue;
    assert.deepEqual(profiles, ['many'], name);
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const other of needed) assert.deepEqual(services.get(other)?.profiles, ['many'], `${name} needs ${other}`);
    assert.ok(!volumes.includes('data:/data'), `${name} shares the folder of one machine`);
    if (own.has(name)) {
      for (const variable of Object.keys(environment)) assert.ok(known.has(variable) || variable.startsWith('AWS_'));
    }
  }
});

test('servers of the profile `many` can neither write the store nor reach the queue', () => {
  const isIn =
    (network: string) =>
    ([, { profiles, networks }]: readonly [string, Service]) =>
      profiles !== undefined && networks?.includes(network) === true;
  const [shared, apart] = ['public', 'work'].map((network) => [...services].filter(isIn(network)));
  const namesOf = (list: readonly (readonly [string, Service])[]) => list.map(([name]) => name).sort();
  assert.deepEqual(namesOf(apart!), ['coordinator', 'queue', 's3', 'worker']);
  const both = ['coordinator', 'nginx', 'postgres', 'quotas', 's3-reader', 'server1', 'server2'];
  assert.deepEqual(namesOf(shared!), both);
  const secrets = ['s3', 'queue', 'worker'].flatMap((name) => secretsIn(services.get(name)!));
  assert.ok(secrets.length >= 4);
  for (const name of ['server1', 'server2', 's3-reader', 'quotas', 'nginx']) {
    const told = JSON.stringify(services.get(name));
    for (const secret of secrets) assert.ok(!told.includes(secret), `${name} has ${secret}`);
    assert.doesNotMatch(told, /HUBLEDGER_QUEUE/);
  }
  assert.equal(services.get('s3-reader')!.environment!.VGW_READ_ONLY, 'true');
  for (const name of ['queue', 'quotas']) {
    const { command, environment } = services.get(name)!;
    assert.match(command!, new RegExp(`--requirepass ${environment!.REDISCLI_AUTH}$`));
  }
});

test('one service builds the image of all, and none pulls it', () => {
  const building = [...own].filter(([, { build }]) => build !== undefined).map(([name]) => name);
  assert.deepEqual(building, ['night']);
  for (const [name, { pull_policy }] of own) assert.equal(pull_policy, 'never', name);
});

test('only servers are checked for health', () => {
  const unchecked = [...own].filter(([, { healthcheck }]) => healthcheck?.disable === true);
  assert.deepEqual(
    unchecked.map(([name]) => name),
    ['night', 'schedule', 'coordinator', 'worker'],
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

test('the package that the image cuts down is loaded from what it leaves', () => {
  const [, removed] = /rm -rf (pdf-lib\S*(?: pdf-lib\S*)+)/.exec(text('Dockerfile'))!;
  const folders = removed!.split(' ').map((path) => pathToFileURL(join(projectRoot(), 'node_modules', path)).href);
  const entry = import.meta.resolve('pdf-lib');
  assert.ok(
    folders.every((folder) => !entry.startsWith(`${folder}/`)),
    entry,
  );
});
