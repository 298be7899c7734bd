/**
 * A program that is started as a process group of its own. TypeScript's command is a small program that runs the compiler and waits:
 * a signal to the first alone leaves the second behind, with nobody to end it.
 */
import { spawn } from 'node:child_process';
import { root } from './ensure-dependencies.mjs';

/** Starts Node.js with some words, whose output is shown. */
export const startGroup = (words) =>
  spawn(process.execPath, words, { cwd: root, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });

/** Sends a signal to a program and to all that it has started. */
export function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // all of them have ended
  }
}
