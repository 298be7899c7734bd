/** A receiver: somebody's endpoint, https on loopback, with a certificate for receiver.example that nobody else trusts. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectRoot } from '../../../../pipeline/base/project.js';

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of the body. */
  readonly body: Buffer;
}

export interface Receiver {
  readonly url: string;
  /** Its certificate. */
  readonly ca: string;
  readonly received: Received[];
  /** Counts the connections, whether or not a request came over them. */
  connections(): number;
  /** Answer to the next requests; undefined: they never get one. */
  answer: { status: number; headers?: Record<string, string>; body?: string } | undefined;
  stop(): Promise<void>;
}

const NAME = 'receiver.example';

/** A key and its certificate, both of them public: made once for these tests, for a hundred years. */
const PEM = readFileSync(join(projectRoot(), 'test/server/people/webhooks/receiver.pem'), 'utf8');

export async function startReceiver(): Promise<Receiver> {
  let connections = 0;
  const received: Received[] = [];
  const server = createServer({ key: PEM, cert: PEM }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ method: request.method!, headers: request.headers, body: Buffer.concat(chunks) });
    const { answer } = receiver;
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `https://${NAME}:${(server.address() as AddressInfo).port}/hook`,
    ca: PEM,
    received,
    connections: () => connections,
    answer: { status: 204 },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
