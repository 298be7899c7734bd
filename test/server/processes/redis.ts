/** A Redis or Valkey of one's own, on a loopback port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.js';

export class TestRedis {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly program: string,
    private readonly port: number,
  ) {}

  static async start(program: string): Promise<TestRedis> {
    const redis = new TestRedis(program, await freePort());
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server, which keeps nothing: all counts are lost with the process. */
  async start(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    this.process = spawn(this.program, settings, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    this.process.stdout!.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    while (!said.includes('Ready to accept connections')) await once(this.process.stdout!, 'data');
  }

  /** Freezes the server, which is alive then, but silent. */
  freeze(): void {
    this.process?.kill('SIGSTOP');
  }

  async stop(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    if (process?.kill('SIGKILL')) await once(process, 'close');
  }
}
