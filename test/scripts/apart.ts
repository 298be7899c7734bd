/** Processes in PID namespaces of their own, as containers have them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The main process in there is number 1, and it is killed with the process that made the namespace. */
const UNSHARE = ['--pid', '--fork', '--kill-child', '--mount-proc'];

/** Words before a command that give it a namespace: as root, or else in a user namespace, which not every system allows. */
const wrapper = [
  ['unshare', ...UNSHARE],
  ['unshare', '--map-root-user', ...UNSHARE],
].find(([program, ...words]) => spawnSync(program!, [...words, 'true']).status === 0);

/** Starts a program of Node.js in a new PID namespace. @throws Error where the system does not allow one */
export function startApart(words: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  if (!wrapper) throw new Error('this test needs unshare, and the right to make a PID namespace');
  const [program, ...rest] = [...wrapper, process.execPath, ...words];
  const { PATH, HOME } = process.env;
  return spawn(program!, rest, { env: { PATH, HOME, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Signals the main process of a child's namespace, by the id that it has out here. */
export function signalInside(child: ChildProcess, signal: NodeJS.Signals): void {
  const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  process.kill(Number(inside), signal);
}
