/**
 * Writes log lines to standard output without blocking. Lines are buffered while the reader is slow. If the buffer is
 * full, lines are dropped and counted. With pino's own output, an exiting process could block forever.
 */
import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, pino } from 'pino';

/** Buffered lines are written when they fill BATCH_BYTES, or after DELAY_MS. */
const BATCH_BYTES = 64 * 1024;
const DELAY_MS = 200;
const WAITING_MAX_BYTES = 1 << 20;
const UNIT_BYTES_MAX = 3;
const RETRY_MS = 1000;
const CLOSE_MS = 1000;

export interface Sink {
  send(bytes: Buffer, sent: (error: Error | null, count: number) => void): void;
  sendNow(bytes: Buffer): void;
  end(): void;
}

export class LogOutput {
  private waiting: Buffer[] = [];
  private batch = Buffer.allocUnsafe(BATCH_BYTES);
  private used = 0;
  private bytes = 0;
  private lost = 0;
  private isSending = false;
  private isBlocked = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sink: Sink,
    private readonly onLost: (lines: number) => void,
  ) {}

  write(line: string): void {
    if (this.bytes + line.length > WAITING_MAX_BYTES) {
      this.lost++;
      return;
    }
    this.makeRoom(line.length * UNIT_BYTES_MAX);
    const written = this.batch.write(line, this.used);
    this.used += written;
    this.bytes += written;
    if (this.timer === undefined) this.flushIn(DELAY_MS);
    if (this.bytes >= BATCH_BYTES && !this.isBlocked) this.flush();
  }

  private makeRoom(bytes: number): void {
    if (this.used + bytes <= this.batch.length) return;
    this.waiting.push(this.batch.subarray(0, this.used));
    this.batch = Buffer.allocUnsafe(Math.max(BATCH_BYTES, bytes));
    this.used = 0;
  }

  async close(): Promise<void> {
    const end = performance.now() + CLOSE_MS;
    this.isBlocked = false;
    while (this.bytes > 0 && !this.isBlocked && performance.now() < end) {
      this.flush();
      await wait(10);
    }
    clearTimeout(this.timer);
    this.sink.end();
  }

  readonly sendLast = (): void => {
    if (this.isSending || this.bytes === 0) return;
    try {
      this.sink.sendNow(this.take());
    } catch {}
  };

  /** Writes buffered lines after a delay. The timer keeps the process alive until then, except after a failed write. */
  private flushIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), ms);
    if (ms === RETRY_MS) this.timer.unref();
  }

  private take(): Buffer {
    const bytes = Buffer.concat([...this.waiting, this.batch.subarray(0, this.used)]);
    this.waiting = [];
    this.used = 0;
    return bytes;
  }

  private flush(): void {
    if (this.isSending) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const bytes = this.take();
    this.isSending = true;
    this.sink.send(bytes, (error, count) => {
      this.isSending = false;
      this.isBlocked = error !== null;
      this.waiting.unshift(bytes.subarray(count));
      this.bytes -= count;
      if (error) return this.flushIn(RETRY_MS);
      const { lost } = this;
      this.lost = 0;
      if (lost > 0) this.onLost(lost);
      if (this.bytes >= BATCH_BYTES) this.flush();
      else if (this.bytes > 0) this.flushIn(DELAY_MS);
    });
  }
}

/** Writes to pipes through a socket, so that a stalled reader blocks no thread. */
function sinkOf(descriptor: number): Sink {
  const sendNow = (bytes: Buffer) => void writeSync(descriptor, bytes);
  const kind = fstatSync(descriptor);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return { send: (bytes, sent) => write(descriptor, bytes, sent), sendNow, end() {} };
  }
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  socket.on('error', () => {}); // the callback of `write` receives the same error
  return {
    send: (bytes, sent) => void socket.write(bytes, (error) => sent(error ?? null, error ? 0 : bytes.length)),
    sendNow,
    end: () => void socket.destroy(),
  };
}

function timeOfLine(): () => string {
  let millisecond = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== millisecond) text = `,"time":"${new Date(now).toISOString()}"`;
    millisecond = now;
    return text;
  };
}

const LEVEL_NAMES: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** Formats a line for a terminal: '15:24:59  GET /healthz  status=200 ms=1.5', then the stack of an error. */
export function plainLine(line: string): string {
  const { level, time, msg, method, path, request_id, err, ...facts } = JSON.parse(line);
  const subject = msg ?? (method === undefined ? '' : `${method} ${path}`);
  const shown = Object.entries(facts).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${text}`;
  });
  const stack = err === undefined ? '' : `\n${err.stack ?? err.message ?? JSON.stringify(err)}`;
  const head = `${time.slice(11, 19)}  ${LEVEL_NAMES[level] ?? ''}${subject}`;
  return `${[head, shown.join(' ')].filter(Boolean).join('  ')}${stack}\n`;
}

export function openLog(level: string): { readonly log: Logger; close(): Promise<void> } {
  if (process.stdout.isTTY) {
    const terminal = { write: (line: string) => void process.stdout.write(plainLine(line)) };
    return { log: pino({ level, timestamp: timeOfLine(), base: null }, terminal), close: async () => {} };
  }
  const output = new LogOutput(sinkOf(1), (lines) =>
    log.warn({ lost_lines: lines }, 'log lines were dropped because the output was blocked'),
  );
  const log: Logger = pino({ level, timestamp: timeOfLine(), base: null }, output);
  process.once('exit', output.sendLast);
  return { log, close: () => output.close() };
}
