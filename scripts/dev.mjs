/**
 * `npm run dev`: the compiler and the bundler of pages on watch, and a server that starts again when they have made something, or when a
 * file that it reads has changed. A page is loaded again by hand. Ctrl-C ends all. The server reads the HUBLEDGER_ variables, as `npm
 * start` does.
 */
import './build/require-node.mjs';
import { once } from 'node:events';
import { readdirSync, utimesSync, watch } from 'node:fs';
import { join } from 'node:path';
import { build } from './build/build.mjs';
import { buildWeb } from './build/build-web.mjs';
import { COMMAND_LINE, END_SIGNALS, ensureDataset } from './build/ensure-dataset.mjs';
import { ensureDependencies, root } from './build/ensure-dependencies.mjs';
import { signalGroup, startGroup } from './build/process-group.mjs';

ensureDependencies();
console.log('▸ build');
build();
await ensureDataset();
console.log('▸ compiler, pages and server on watch; Ctrl-C ends all');
const PROGRAMS = [
  ['node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput'],
  ['--watch', '--watch-preserve-output', COMMAND_LINE, 'serve'],
];
const groups = [];
const end = (signal) => {
  for (const group of groups) signalGroup(group, signal);
};
// Before anything is started: a group of its own would outlive this process.
for (const signal of END_SIGNALS) process.on(signal, () => end(signal));
groups.push(...PROGRAMS.map(startGroup));

/** Editors write a file in several steps: what follows from it waits until these have come to rest. */
const REST_MS = 100;

/** Watches each folder below one by itself: a watcher of a whole tree loses a file that an editor puts another one in the place of. */
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

/** Touches the command line, whose watcher starts the server again. */
const startAgain = () => utimesSync(COMMAND_LINE, new Date(), new Date());

function bundleAgain() {
  try {
    buildWeb();
  } catch {
    return; // the bundler has said why
  }
  startAgain();
  console.log('▸ pages bundled; load them again');
}

// The server reads the others when it starts.
const watchers = [
  ...watchFolders('server/web', bundleAgain),
  ...['data/reference', 'schemas', 'server/docs', 'server/store'].flatMap((folder) => watchFolders(folder, startAgain)),
];

// The compiler without the server is of no use, nor is the server without the compiler.
const exits = groups.map((group) => once(group, 'exit'));
await Promise.race(exits);
for (const watcher of watchers) watcher.close();
end('SIGTERM');
await Promise.all(exits);
