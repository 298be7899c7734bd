/** The command line as an operator runs it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';

export const program = join(import.meta.dirname, `../../scripts/hubledger${extname(import.meta.filename)}`);
/** Arguments of Node.js that run sources without a build. */
export const loaders = process.execArgv.filter((word) => !word.startsWith('--test'));

/** Runs a command without blocking this process. */
export async function runBeside(words: string[], environment: Record<string, string> = {}) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...loaders, program, ...words], { env: { PATH, HOME, ...environment } });
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, error };
}

/** Runs a command and blocks this process. */
export function run(words: string[], environment: Record<string, string> = {}) {
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loaders, program, ...words], {
    encoding: 'utf8',
    env: { PATH, HOME, ...environment },
  });
  return { code: status, out: stdout, error: stderr };
}
