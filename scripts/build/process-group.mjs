/** Starts processes as a group. TypeScript's command runs the compiler as a child, which survives a signal to its parent alone. */
import { spawn } from 'node:child_process';
import { root } from './ensure-dependencies.mjs';

export const startGroup = (words, stdout = 'inherit') =>
  spawn(process.execPath, words, { cwd: root, detached: true, stdio: ['ignore', stdout, 'inherit'] });

export function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
