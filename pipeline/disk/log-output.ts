/**
 * Log output: JSON lines on standard output that never hold up whoever logs. A full disk, or a reader that takes nothing, keeps some
 * lines waiting and then counts those that are left out; pino's own destination waits for room at the end of the process, for ever.
 */
import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, pino } from 'pino';

/** Bytes of lines that are written at once, and time that a line waits for others at the most. */
const BATCH_BYTES = 64 * 1024;
const DELAY_MS = 200;
/** Bytes of lines that wait for somebody to take them, at the most. */
const WAITING_MAX_BYTES = 1 << 20;
/** Bytes of a UTF-16 unit in UTF-8, at the most. */
const UNIT_BYTES_MAX = 3;
/** Time between two attempts while nobody takes anything. */
const RETRY_MS = 1000;
/** Time that the last lines have to go out. */
const CLOSE_MS = 1000;

/** Sends some bytes, and says how many of them went out, or why none did. */
export interface Sink {
  send(bytes: Buffer, sent: (error: Error | null, count: number) => void): void;
  /** Sends what is left in one attempt that does not wait, when the process ends. @throws Error */
  sendNow(bytes: Buffer): void;
  end(): void;
}

/** The lines on their way out, as bytes at once: as strings they would outlive the youngest generation of the heap. */
export class LogOutput {
  /** Bytes that wait before the batch, in their order. */
  private waiting: Buffer[] = [];
  private batch = Buffer.allocUnsafe(BATCH_BYTES);
  /** Bytes of the batch that are lines, and of all that waits. */
  private used = 0;
  private bytes = 0;
  private lost = 0;
  private isSending = false;
  /** Whether the last attempt failed. */
  private isRefused = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param onLost called when lines go out again, with the number of those that were left out */
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
    if (this.bytes >= BATCH_BYTES && !this.isRefused) this.flush();
  }

  private makeRoom(bytes: number): void {
    if (this.used + bytes <= this.batch.length) return;
    this.waiting.push(this.batch.subarray(0, this.used));
    this.batch = Buffer.allocUnsafe(Math.max(BATCH_BYTES, bytes));
    this.used = 0;
  }

  /** Sends what waits, within a second, as far as somebody takes it. */
  async close(): Promise<void> {
    const end = performance.now() + CLOSE_MS;
    this.isRefused = false;
    while (this.bytes > 0 && !this.isRefused && performance.now() < end) {
      this.flush();
      await wait(10);
    }
    clearTimeout(this.timer);
    this.sink.end();
  }

  /** Sends what waits when the process ends by itself, unless somebody is slow to take what was sent before. */
  readonly sendLast = (): void => {
    if (this.isSending || this.bytes === 0) return;
    try {
      this.sink.sendNow(this.take());
    } catch {
      // Nobody takes it.
    }
  };

  /** A timer keeps the process until its lines are out; one that waits for room does not. */
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
      this.isRefused = error !== null;
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

/** A sink that is a file descriptor: bytes for a pipe wait in this process, so that none of its threads waits for the reader. */
function sinkOf(descriptor: number): Sink {
  const sendNow = (bytes: Buffer) => void writeSync(descriptor, bytes);
  const kind = fstatSync(descriptor);
  if (!kind.isFIFO() && !kind.isSocket()) {
    return { send: (bytes, sent) => write(descriptor, bytes, sent), sendNow, end() {} };
  }
  const socket = new Socket({ fd: descriptor, readable: false, writable: true });
  socket.on('error', () => {}); // the callback of the write hears of it, too
  return {
    send: (bytes, sent) => void socket.write(bytes, (error) => sent(error ?? null, error ? 0 : bytes.length)),
    sendNow,
    end: () => void socket.destroy(),
  };
}

/** Makes the function that writes the time of a line, as pino's isoTime does; the lines of a millisecond share one text. */
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

/** Names of pino's levels that a person should notice. */
const LEVEL_NAMES: Readonly<Record<number, string>> = { 40: 'warning: ', 50: 'error: ', 60: 'fatal: ' };

/** Writes a log line for a person: '15:24:59  GET /healthz  status=200 ms=1.5', and the stack of an error below it. */
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

/** Opens the log of this process: JSON lines on standard output, plain lines on a terminal. @returns it, and what sends its last lines */
export function openLog(level: string): { readonly log: Logger; close(): Promise<void> } {
  if (process.stdout.isTTY) {
    const terminal = { write: (line: string) => void process.stdout.write(plainLine(line)) };
    return { log: pino({ level, timestamp: timeOfLine(), base: null }, terminal), close: async () => {} };
  }
  const output = new LogOutput(sinkOf(1), (lines) =>
    log.warn({ lost_lines: lines }, 'lines of this log are missing: nobody took them'),
  );
  const log: Logger = pino({ level, timestamp: timeOfLine(), base: null }, output);
  process.once('exit', output.sendLast);
  return { log, close: () => output.close() };
}
