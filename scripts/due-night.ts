/** Runs a nightly run that is due, as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { projectRoot } from '../pipeline/base/project.js';
import { environmentWith } from '../pipeline/config.js';
import { EXIT } from './exit-codes.js';
import type { DueNight } from './schedule/night-due.js';

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Forwards signals to the run, which would otherwise outlive this process. If the run fails, this process ends with its
 * exit code, unless the published dataset can be served.
 */
export async function runDueNight({ canServe }: DueNight, env = environmentWith({})): Promise<void> {
  const program = join(projectRoot(), 'dist/scripts/hubledger.js');
  const night = spawn(process.execPath, [program, 'nightly'], { stdio: 'inherit', env });
  const pass = (signal: NodeJS.Signals) => night.kill(signal);
  for (const signal of END_SIGNALS) process.on(signal, pass);
  const [code, signal] = (await once(night, 'exit')) as [number | null, NodeJS.Signals | null];
  for (const name of END_SIGNALS) process.off(name, pass);
  if (signal) process.kill(process.pid, signal);
  if (code === 0 || code === EXIT.incomplete) return;
  if (!canServe || code === EXIT.wrongUsage) process.exit(code ?? 1);
  console.log(
    `▸ the nightly run failed (exit code ${code}): the published dataset is served; the next run tries again`,
  );
}
