/** A gateway: nginx as it comes, with its limits of 8 kB, on a loopback port before a node. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../processes/free-port.js';

/** Everything that is not said here is nginx's default. */
const settings = (port: number, node: string) => `
daemon off;
pid nginx.pid;
error_log stderr crit;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${node}; }
  }
}`;

export class TestGateway {
  private constructor(
    readonly url: string,
    private readonly process: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Starts the program; resolves when it accepts connections. @param node URL of the node behind it */
  static async start(program: string, node: string): Promise<TestGateway> {
    const [folder, port] = [mkdtempSync(join(tmpdir(), 'hubledger-gateway-')), await freePort()];
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, settings(port, node));
    const process = spawn(program, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
    while (!(await accepts(port))) {
      if (process.exitCode !== null) throw new Error(`nginx ends with exit code ${process.exitCode}`);
      await wait(20);
    }
    return new TestGateway(`http://127.0.0.1:${port}`, process, folder);
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'close');
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
