#!/usr/bin/env node
/** Starts the compiled command line, after a check of Node.js and of the build. */
import './build/require-node.mjs';
import { existsSync } from 'node:fs';

const program = new URL('../dist/scripts/hubledger.js', import.meta.url);
if (existsSync(program)) {
  await import(program);
} else {
  console.error('hubledger is not built yet: run `npm ci && npm run build`, or `npm start`, in its folder');
  process.exitCode = 1;
}
