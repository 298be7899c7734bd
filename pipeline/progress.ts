/** What a night says while it runs: one line that redraws itself on a terminal, JSON lines elsewhere. */
import { pino } from 'pino';

export interface Progress {
  /** A step begins. */
  begin(step: string): void;
  /** How far the step is. */
  update(done: number, total: number): void;
  /** The step is over, after so many milliseconds. */
  end(milliseconds: number): void;
  /** Something to know beside the steps. */
  say(text: string, facts?: Record<string, unknown>): void;
}

const BAR = 24;
/** Redrawing more often than this only costs time. */
const REDRAW_MS = 100;

/** Draws on a terminal: finished steps stay as lines, the running one is redrawn in place. */
export function terminalProgress(write: (text: string) => void): Progress {
  let step = '';
  let drawn = 0;
  const draw = (line: string, end = '') => write(`\r\x1b[K${line}${end}`);
  return {
    begin(name) {
      step = name;
      drawn = 0;
      draw(`  ${step} …`);
    },
    update(done, total) {
      const now = Date.now();
      if (now - drawn < REDRAW_MS) return;
      drawn = now;
      const filled = total > 0 ? Math.round((BAR * done) / total) : 0;
      draw(`  ${step.padEnd(24)} ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${done}/${total}`);
    },
    end: (milliseconds) => draw(`✓ ${step.padEnd(24)} ${(milliseconds / 1000).toFixed(2)} s`, '\n'),
    say: (text) => draw(text, '\n'),
  };
}

/** Writes a JSON line a step; a long one says every few seconds how far it is. */
export function loggedProgress(level: string): Progress {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  let step = '';
  let said = 0;
  return {
    begin(name) {
      step = name;
      said = Date.now();
      log.debug({ step }, 'begins');
    },
    update(done, total) {
      if (Date.now() - said < 5000) return;
      said = Date.now();
      log.info({ step, done, total }, 'under way');
    },
    end: (milliseconds) => log.info({ step, ms: Math.round(milliseconds) }, 'done'),
    say: (text, facts = {}) => log.info(facts, text),
  };
}
