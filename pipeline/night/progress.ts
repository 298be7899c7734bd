import { openLog } from '../base/disk/log-output.js';

export interface Progress {
  begin(step: string): void;
  update(step: string, done: number, total: number): void;
  end(step: string, milliseconds: number): void;
  /** Called when a step fails, or when it is aborted because another step failed. */
  fail(step: string): void;
  say(text: string, facts?: Record<string, unknown>): void;
}

const BAR = 24;
const REDRAW_MS = 100;
const LOG_INTERVAL_MS = 5000;

const clear = (lines: number) => `${lines > 0 ? `\x1b[${lines}A` : ''}\r\x1b[J`;

function bar(done: number, total: number): string {
  const filled = total > 0 ? Math.round((BAR * done) / total) : 0;
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done}/${total}`;
}

export function terminalProgress(write: (text: string) => void): Progress {
  const running = new Map<string, string>();
  let drawnLines = 0;
  let drawnAt = 0;
  const draw = (finished = '') => {
    const lines = [...running].map(([step, state]) => `  ${step.padEnd(24)} ${state}\n`);
    write(`${clear(drawnLines)}${finished}${lines.join('')}`);
    drawnLines = lines.length;
    drawnAt = Date.now();
  };
  return {
    begin(step) {
      running.set(step, '…');
      draw();
    },
    update(step, done, total) {
      running.set(step, bar(done, total));
      if (Date.now() - drawnAt >= REDRAW_MS) draw();
    },
    end(step, milliseconds) {
      running.delete(step);
      draw(`✓ ${step.padEnd(24)} ${(milliseconds / 1000).toFixed(2)} s\n`);
    },
    fail(step) {
      running.delete(step);
      draw();
    },
    say: (text) => draw(`${text}\n`),
  };
}

/** Logs the progress of long steps every few seconds. */
export function loggedProgress(level: string): Progress {
  const { log } = openLog(level);
  const loggedAt = new Map<string, number>();
  return {
    begin(step) {
      loggedAt.set(step, Date.now());
      log.debug({ step }, 'begins');
    },
    update(step, done, total) {
      if (Date.now() - loggedAt.get(step)! < LOG_INTERVAL_MS) return;
      loggedAt.set(step, Date.now());
      log.info({ step, done, total }, 'in progress');
    },
    end: (step, milliseconds) => log.info({ step, ms: Math.round(milliseconds) }, 'done'),
    fail: (step) => log.debug({ step }, 'ended early'),
    say: (text, facts = {}) => log.info(facts, text),
  };
}

/** @param json if true, prints JSON lines even on a terminal */
export const openProgress = (logLevel: string, json?: true): Progress =>
  process.stdout.isTTY && !json ? terminalProgress((text) => process.stdout.write(text)) : loggedProgress(logLevel);
