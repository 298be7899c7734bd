/**
 * A loopback port that nobody listens on, for a program that cannot choose one itself. It is none of those that a system gives to whoever
 * asks for any: another test could else be given it before the program listens.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below those that Linux (from 32768), macOS and Windows (from 49152) give. */
const [FIRST, END] = [10_000, 32_768];

export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, END);
  const server = createServer().listen(port, '127.0.0.1');
  const isFree = await once(server, 'listening').catch(() => undefined);
  if (!isFree) return freePort();
  await once(server.close(), 'close');
  return port;
}
