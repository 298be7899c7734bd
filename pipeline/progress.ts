/** The progress of a night: on a terminal a line for each running step, redrawn in place; elsewhere JSON lines. */
import { openLog } from './disk/log-output.js';

/** Hears of several steps at the same time. */
export interface Progress {
  /** A step begins. */
  begin(step: string): void;
  /** A step is so far. */
  update(step: string, done: number, total: number): void;
  /** A step is over, after so many milliseconds. */
  end(step: string, milliseconds: number): void;
  /** A step failed, or was ended because another one did. */
  fail(step: string): void;
  /** There is something to know beside the steps. */
  say(text: string, facts?: Record<string, unknown>): void;
}

/** Characters of a bar. */
const BAR = 24;
/** Redrawing more often than this only costs time. */
const REDRAW_MS = 100;
/** A step under way is logged no more often than this. */
const LOG_INTERVAL_MS = 5000;

/** Moves up so many lines, to the beginning, and clears everything from there on. */
const clear = (lines: number) => `${lines > 0 ? `\x1b[${lines}A` : ''}\r\x1b[J`;

function bar(done: number, total: number): string {
  const filled = total > 0 ? Math.round((BAR * done) / total) : 0;
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done}/${total}`;
}

/** Draws on a terminal: finished steps stay as lines, those under way are redrawn below them. */
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

/** Writes a JSON line a step; a long one says every few seconds how far it is. */
export function loggedProgress(level: string): Progress {
  const { log } = openLog(level);
  /** When each running step was logged last. */
  const loggedAt = new Map<string, number>();
  return {
    begin(step) {
      loggedAt.set(step, Date.now());
      log.debug({ step }, 'begins');
    },
    update(step, done, total) {
      if (Date.now() - loggedAt.get(step)! < LOG_INTERVAL_MS) return;
      loggedAt.set(step, Date.now());
      log.info({ step, done, total }, 'under way');
    },
    end: (step, milliseconds) => log.info({ step, ms: Math.round(milliseconds) }, 'done'),
    fail: (step) => log.debug({ step }, 'ended early'),
    say: (text, facts = {}) => log.info(facts, text),
  };
}
