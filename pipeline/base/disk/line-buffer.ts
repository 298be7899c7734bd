import { setTimeout as wait } from 'node:timers/promises';

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
