/**
 * `npm run dev`: watches the sources. Compiles and bundles changed sources, and restarts the server after that, or when
 * a file changes that the server reads. Pages must be reloaded by hand. Ctrl-C ends all processes. The server uses the
 * same HUBLEDGER_ variables as `npm start`.
 */
import './build/require-node.mjs';
import { once } from 'node:events';
import { readdirSync, utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { removeLeftovers } from './build/build.mjs';
import { buildWeb } from './build/build-web.mjs';
import { COMMAND_LINE, END_SIGNALS, ensureDataset } from './build/ensure-dataset.mjs';
import { ensureDependencies, root } from './build/ensure-dependencies.mjs';
import { signalGroup, startGroup } from './build/process-group.mjs';

const groups = [];
const end = (signal) => {
  for (const group of groups) signalGroup(group, signal);
};
// Signal handlers must exist before any process starts, because a process group would outlive this process.
for (const signal of END_SIGNALS) process.on(signal, () => end(signal));
process.on('exit', () => end('SIGTERM'));

/** Prints the compiler's output until a compilation succeeds. If the compiler ends, ends this process. */
async function untilCompiled(compiler) {
  const fail = (code) => process.exit(code ?? 1);
  compiler.once('exit', fail);
  compiler.stdout.setEncoding('utf8').on('data', (text) => process.stdout.write(text));
  for (let text = ''; !text.includes('Found 0 errors'); ) [text] = await once(compiler.stdout, 'data');
  compiler.off('exit', fail);
}

ensureDependencies();
console.log('▸ build');
removeLeftovers();
buildWeb();
const compiler = startGroup(['node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput'], 'pipe');
groups.push(compiler);
await untilCompiled(compiler);
await ensureDataset();
console.log('▸ compiler, pages and server on watch; Ctrl-C ends all');
groups.push(startGroup(['--watch', '--watch-preserve-output', COMMAND_LINE, 'serve']));

/** A change counts when files have been unchanged for this long, because editors write a file in several steps. */
const REST_MS = 100;

/** Watches each folder separately. A recursive watcher would miss files that an editor replaces. */
function watchFolders(folder, act) {
  let rest;
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return [...new Set(entries.map(({ parentPath }) => parentPath))].map((path) =>
    watch(path, () => {
      clearTimeout(rest);
      rest = setTimeout(act, REST_MS).unref();
    }),
  );
}

/** Restarts the server by changing the modification time of a file that Node's watcher observes. */
const restart = () => utimesSync(COMMAND_LINE, new Date(), new Date());

function bundleAgain() {
  try {
    buildWeb();
  } catch {
    return;
  }
  restart();
  console.log('▸ pages bundled; reload them');
}

watchFolders('server/web', bundleAgain);
for (const folder of ['data/reference', 'schemas', 'server/docs', 'server/people/store']) watchFolders(folder, restart);
// If the compiler or the server ends, this process ends too.
const exits = groups.map((group) => once(group, 'exit'));
await Promise.race(exits);
end('SIGTERM');
await Promise.all(exits);
process.exit();
