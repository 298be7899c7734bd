/** The receivers that docs/webhooks.md shows, against a delivery as it came over the wire. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../../pipeline/base/project.js';
import { readConfig } from '../../../../pipeline/config.js';
import { addAccount } from '../../../../server/people/accounts/accounts.js';
import { deliverDue } from '../../../../server/people/webhooks/deliver.js';
import { sender } from '../../../../server/people/webhooks/send.js';
import { addWebhook, rotateSecret, testWebhook } from '../../../../server/people/webhooks/webhooks.js';
import { programs } from '../../../requirements.js';
import { LaidStore } from '../store/made-store.js';
import { type Received, startReceiver } from './receiver.js';

const NOW = new Date('2026-06-01T00:00:00.123Z');
const MINUTE = 60_000;
type Verify = (headers: IncomingHttpHeaders, body: Buffer, secret: string, now: number) => boolean | Promise<boolean>;

let folder: string;
let delivery: Received;
let firstSecret: string;
let previousSecret: string;
let secret: string;

/** The block of that language. */
function example(language: string): string {
  const page = readFileSync(join(projectRoot(), 'docs/webhooks.md'), 'utf8');
  return page.split(`\`\`\`${language}\n`)[1]!.split('```')[0]!;
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hubledger-receiver-'));
  const receiver = await startReceiver();
  const store = new LaidStore(readConfig({ HUBLEDGER_DATA_DIR: folder }));
  try {
    const account = await addAccount(store, NOW);
    const webhook = await addWebhook(store, account, { url: receiver.url, events: ['release.published'] }, NOW);
    const owned = { account, id: webhook.id };
    firstSecret = webhook.secret!;
    previousSecret = (await rotateSecret(store, owned, NOW))!.secret!;
    secret = (await rotateSecret(store, owned, NOW))!.secret!;
    await testWebhook(store, owned, NOW);
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
    const send = sender({ resolve, allows: () => true, ca: receiver.ca });
    assert.deepEqual(await deliverDue(store, () => NOW, undefined, { send }), { delivered: 1, failed: 0 });
    delivery = receiver.received[0]!;
  } finally {
    await store.close();
    await receiver.stop();
  }
});
after(() => rmSync(folder, { recursive: true }));

async function holdsUp(verify: Verify): Promise<void> {
  const { headers, body } = delivery;
  const now = NOW.getTime();
  const later = String(now + 1);
  const { 'x-service-signature': _, ...unsigned } = headers;
  const cases: [expected: boolean, ...Parameters<Verify>][] = [
    [true, headers, body, secret, now],
    [true, headers, body, previousSecret, now],
    [true, headers, body, firstSecret, now],
    [true, headers, body, secret, now + 5 * MINUTE],
    [false, headers, body, secret, now + 5 * MINUTE + 1],
    [false, headers, Buffer.concat([body, Buffer.from(' ')]), secret, now],
    [false, headers, Buffer.from(body.toString().replace('test', 'tesT')), secret, now],
    [false, { ...headers, 'x-service-timestamp': later }, body, secret, now],
    [false, { ...headers, 'x-service-timestamp': 'now' }, body, secret, now],
    [false, headers, body, `${secret}A`, now],
    [false, unsigned, body, secret, now],
    [false, {}, body, secret, now],
  ];
  for (const [i, [expected, ...given]] of cases.entries()) assert.equal(await verify(...given), expected, `case ${i}`);
}

for (const python of programs('python')) {
  test('the one in Python', async () => {
    writeFileSync(join(folder, 'receiver.py'), example('python'));
    const program =
      'import json, sys; from receiver import is_genuine\n' +
      'headers, secret, now = json.loads(sys.argv[1]); print(is_genuine(headers, sys.stdin.buffer.read(), secret, now))';
    await holdsUp((headers, body, key, now) => {
      const words = ['-c', program, JSON.stringify([headers, key, now])];
      const printed = execFileSync(python, words, { cwd: folder, input: body, encoding: 'utf8' }).trim();
      assert.match(printed, /^(True|False)$/);
      return printed === 'True';
    });
  });
}

test('the one in TypeScript', async () => {
  writeFileSync(join(folder, 'receiver.mts'), example('ts'));
  const modules = join(projectRoot(), 'node_modules');
  const compiler = [join(modules, 'typescript/bin/tsc'), 'receiver.mts', '--strict', '--skipLibCheck'];
  const target = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
    '--typeRoots',
    join(modules, '@types'),
  ];
  execFileSync(process.execPath, [...compiler, ...target], { cwd: folder });
  const { isGenuine } = await import(pathToFileURL(join(folder, 'receiver.mjs')).href);
  await holdsUp(isGenuine);
});
