import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../pipeline/base/project.js';

const { signalGroup, startGroup } = await import(
  pathToFileURL(join(projectRoot(), 'scripts/build/process-group.mjs')).href
);

test('a signal to a group also ends the child that its program waits for', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const started = `require('net').connect(${port}, '127.0.0.1')`; // which runs until its connection ends
  const program = `require('child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(started)}])`;
  const group = startGroup(['-e', program]);
  const ended = once(group, 'exit');
  const [connection] = (await once(server, 'connection')) as [Socket];
  connection.on('error', () => undefined).resume();
  const left = once(connection, 'close');
  signalGroup(group, 'SIGTERM');
  await Promise.all([ended, left]);
  assert.doesNotThrow(() => signalGroup(group, 'SIGTERM'), 'nobody is left to hear it');
  server.close();
});
