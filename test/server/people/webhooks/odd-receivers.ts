/** Odd receivers: endpoints on a loopback port that do anything but answer as a server should. */
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { projectRoot } from '../../../../pipeline/base/project.js';

/** Behaviour on a connection whose first bytes have come. */
type Behave = (socket: Socket) => void;

/** Writes a text again and again until the connection ends. */
const repeat = (socket: Socket, text: string, everyMs: number) => {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
};

const CLOSE = 'Connection: close\r\n';

/** Behaviours by name, each of them on a connection with TLS. */
const BEHAVIOURS: Readonly<Record<string, Behave>> = {
  'says nothing': () => undefined,
  'answers 101': (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n'),
  'sends 103 without end': (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 20),
  'sends 100 without end': (socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n', 20),
  'drips its headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Long: ');
    repeat(socket, 'x', 20);
  },
  'sends garbage': (socket) => socket.end('\0\0\0 not HTTP at all\r\n\r\n'),
  'sends 200 kB of headers': (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(200_000)}\r\n\r\n`),
  'redirects to itself': (socket) => socket.end(`HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\n${CLOSE}\r\n`),
  'has a body without end': (socket) => {
    socket.write('HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n');
    repeat(socket, `4000\r\n${'x'.repeat(0x4000)}\r\n`, 20);
  },
  'hangs up': (socket) => socket.destroy(),
  'ends without an answer': (socket) => socket.end(),
};
/** A behaviour below TLS: the connection is accepted, and nothing ever comes. */
const NO_HANDSHAKE = 'never shakes hands';

export const ODD_RECEIVERS: readonly string[] = [...Object.keys(BEHAVIOURS), NO_HANDSHAKE];

const PEM = readFileSync(join(projectRoot(), 'test/server/people/webhooks/receiver.pem'), 'utf8');

/** Starts a receiver. @param name one of ODD_RECEIVERS @returns its URL */
export async function startOddReceiver(t: TestContext, name: string): Promise<string> {
  const sockets = new Set<Socket>();
  const behave = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => BEHAVIOURS[name]?.(socket));
  };
  const server = name === NO_HANDSHAKE ? createServer(behave) : createTlsServer({ key: PEM, cert: PEM }, behave);
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://receiver.example:${(server.address() as AddressInfo).port}/hook`;
}
