/** Somebody's endpoint: https on loopback, with a certificate of its own for receiver.example. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Received {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Raw. */
  readonly body: Buffer;
}

export interface Receiver {
  readonly url: string;
  /** Its certificate. */
  readonly ca: string;
  readonly received: Received[];
  /** Connections, whether or not a request came over them. */
  connections(): number;
  /** What the next requests are answered with; undefined: nothing, ever. */
  answer: { status: number; headers?: Record<string, string>; body?: string } | undefined;
  stop(): Promise<void>;
}

const NAME = 'receiver.example';

function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`];
  try {
    execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...subject], {
      stdio: 'ignore',
    });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function startReceiver(): Promise<Receiver> {
  const { key, cert } = certificate();
  let connections = 0;
  const received: Received[] = [];
  const server = createServer({ key, cert }, async (request, response) => {
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
    ca: cert,
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
