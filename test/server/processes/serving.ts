/** The server as a program of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';

const CHILD = join(import.meta.dirname, `serve-child${extname(import.meta.filename)}`);

type LogLine = Readonly<Record<string, unknown>>;

export class ServingProcess {
  /** The text that it has written to its standard output so far. */
  output = '';
  port = 0;

  private constructor(readonly process: ChildProcess) {}

  /** Starts the program; resolves when it listens. */
  static async start(environment: Record<string, string>): Promise<ServingProcess> {
    const child = spawn(process.execPath, [...process.execArgv, CHILD], {
      env: { PATH: process.env.PATH, HUBLEDGER_PORT: '0', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const serving = new ServingProcess(child);
    child.stdout!.setEncoding('utf8').on('data', (text) => {
      serving.output += text;
    });
    const line = await serving.logged((one) => one.msg === 'listening');
    serving.port = Number(line.port);
    return serving;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get log(): LogLine[] {
    const lines = this.output.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** Waits for the first line of the log that is meant. */
  async logged(isMeant: (line: LogLine) => boolean): Promise<LogLine> {
    for (;;) {
      const line = this.log.find(isMeant);
      if (line) return line;
      await once(this.process.stdout!, 'data');
    }
  }

  /** Ends the program by a signal. @returns exit code and signal */
  async end(signal: NodeJS.Signals): Promise<unknown[]> {
    const ended = once(this.process, 'close');
    this.process.kill(signal);
    return ended;
  }
}
