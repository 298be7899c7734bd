/** Process groups. TypeScript's command starts the compiler as a child: a signal to the parent alone would leave the child running. */
import { spawn } from 'node:child_process';
import { root } from './ensure-dependencies.mjs';

export const startGroup = (words, stdout = 'inherit') =>
  spawn(process.execPath, words, { cwd: root, detached: true, stdio: ['ignore', stdout, 'inherit'] });

/** Sends a signal to a group; does nothing if it has ended. */
export function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
