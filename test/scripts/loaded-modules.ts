/** Lists the modules that Node.js loads for a command. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../pipeline/base/project.js';
import { program } from './run-program.js';

export interface Loaded {
  readonly code: number | null;
  readonly output: string;
  /** Files of the project, from its compiled root. */
  readonly own: readonly string[];
  readonly packages: readonly string[];
}

const asModule = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** A hook that appends the URL of each module to a file. */
function recorder(file: string): string {
  const hook = asModule(`
    import { appendFileSync } from 'node:fs';
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    }`);
  return asModule(`import { register } from 'node:module'; register(${JSON.stringify(hook)});`);
}

const packageOf = (path: string) =>
  /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path)?.[1]?.replace(sep, '/');

/**
 * Runs a command and ends it by SIGINT after it has printed a text.
 * @param until the text; without one the command ends by itself
 */
export async function loadedBy(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  until?: string,
): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'hubledger-loaded-'));
  const file = join(folder, 'urls');
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--import', recorder(file), program, ...words], {
    env: { PATH, HOME, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (until !== undefined && output.includes(until) && !child.killed) child.kill('SIGINT');
    });
  }
  const [code] = await once(child, 'close');
  const urls = readFileSync(file, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  const paths = [...new Set(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)))];
  const dist = join(projectRoot(), 'dist') + sep;
  return {
    code,
    output,
    own: paths.filter((path) => path.startsWith(dist)).map((path) => path.slice(dist.length)),
    packages: [...new Set(paths.flatMap((path) => packageOf(path) ?? []))].sort(),
  };
}
