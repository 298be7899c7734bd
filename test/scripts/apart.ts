/** Processes in their own PID namespaces, like containers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programs } from '../requirements.js';

const [unshare] = programs('namespaces');

/** True if this system allows namespaces. */
export const canStartApart = unshare !== undefined;

/** Starts a program of Node.js in a new PID namespace. */
export function startApart(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  const [program, ...rest] = [...unshare!.split(' '), process.execPath, ...words];
  const { PATH, HOME } = process.env;
  return spawn(program!, rest, { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Signals the main process of a child's namespace, by its outer process id. */
export function signalInside(child: ChildProcess, signal: NodeJS.Signals): void {
  const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  process.kill(Number(inside), signal);
}
