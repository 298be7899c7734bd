/** An S3 server for tests (moto), and a proxy that fails in front of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { programs } from '../../requirements.js';

export interface S3Server {
  readonly endpoint: string;
  /** A bucket that exists. */
  readonly bucket: string;
  stop(): Promise<void>;
}

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };

/** Runs moto on one thread: its conditional writes are not atomic across threads. */
const SERVE = `
from werkzeug.serving import run_simple
from moto.server import DomainDispatcherApplication, create_backend_app
run_simple('127.0.0.1', 0, DomainDispatcherApplication(create_backend_app))
`;

/** Starts a server on a free port, or returns undefined if it is not installed. Sets the credentials of this process. */
export async function startS3(): Promise<S3Server | undefined> {
  const [python] = programs('s3');
  if (python === undefined) return undefined;
  Object.assign(process.env, CREDENTIALS);
  const child = spawn(python, ['-c', SERVE], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endpoint = await addressOf(child);
  const bucket = 'hubledger-test';
  await fetch(`${endpoint}/${bucket}`, { method: 'PUT' });
  return {
    endpoint,
    bucket,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stderr!.on('data', (text) => {
      log += text;
      const found = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
      if (found) resolve(found);
    });
    child.once('close', () => reject(new Error(`moto ended: ${log}`)));
  });
}

interface Proxy {
  readonly endpoint: string;
  faults(): number;
  stop(): void;
}

/**
 * Answers 503 to every n-th request, and cuts the body of the request after it.
 * @param port that of a stopped proxy, to open it again
 */
export async function startFaultyProxy(target: string, every = 3, port = 0): Promise<Proxy> {
  let [requests, faults] = [0, 0];
  const server: Server = createServer((from, to) => {
    const number = ++requests;
    if (number % every === 0) {
      faults++;
      from.resume();
      to.writeHead(503).end();
      return;
    }
    const { method, headers, url } = from;
    const forward = request(`${target}${url}`, { method, headers }, (answer) => {
      to.writeHead(answer.statusCode!, answer.headers);
      if (method !== 'GET' || number % every !== 1) return answer.pipe(to);
      faults++;
      answer.once('data', (chunk: Buffer) => {
        to.write(chunk.subarray(0, chunk.length >> 1), () => to.destroy());
        answer.destroy();
      });
      return answer.once('end', () => to.end());
    });
    forward.on('error', () => to.destroy());
    from.pipe(forward);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: () => faults,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
