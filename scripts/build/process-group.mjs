/**
 * Starts a process as a group, so that a signal reaches the process and its children. For example, TypeScript's command
 * runs the compiler as a child, which would survive a signal to its parent.
 */
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
