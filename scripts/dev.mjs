/**
 * `npm run dev`: the compiler on watch, and a server that starts again when it has compiled something. Ctrl-C ends both. The server
 * reads the HUBLEDGER_ variables, as `npm start` does.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { build } from './build/build.mjs';
import { COMMAND_LINE, ensureDataset } from './build/ensure-dataset.mjs';
import { ensureDependencies, root } from './build/ensure-dependencies.mjs';

ensureDependencies();
console.log('▸ build');
build();
await ensureDataset();
console.log('▸ compiler and server on watch; Ctrl-C ends both');
const PROGRAMS = [
  ['node_modules/typescript/bin/tsc', '--watch', '--preserveWatchOutput'],
  ['--watch', '--watch-preserve-output', COMMAND_LINE, 'serve'],
];
const children = PROGRAMS.map((words) => spawn(process.execPath, words, { cwd: root, stdio: 'inherit' }));
const end = (signal) => children.forEach((child) => void child.kill(signal));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal));
// The compiler without the server is of no use, nor is the server without the compiler.
const exits = children.map((child) => once(child, 'exit'));
await Promise.race(exits);
end('SIGTERM');
await Promise.all(exits);
