/** Opens the program's log: lines for people in a terminal, otherwise JSON. */
import { fstatSync, write, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { type Logger, pino } from 'pino';
import { LogOutput, type Sink } from './line-buffer.js';

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
