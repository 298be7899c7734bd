/** Compiles the TypeScript sources into dist/, bundles the pages, and removes what no source makes any more. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.mjs';
import { root, run } from './ensure-dependencies.mjs';

/** Removes compiled files that have no source any more: a test whose source was deleted must not run any longer. */
function removeLeftovers() {
  const dist = join(root, 'dist');
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true })) {
    if (file.startsWith('web')) continue; // is made anew each time
    const source = file.replace(/\.js(\.map)?$/, '.ts');
    if (source !== file && !existsSync(join(root, source))) rmSync(join(dist, file));
  }
}

/** Ends the process with the compiler's exit code when it finds an error. */
export function build() {
  removeLeftovers();
  run(process.execPath, 'node_modules/typescript/bin/tsc');
  run(process.execPath, 'node_modules/typescript/bin/tsc', '--project', 'server/web');
  buildWeb();
}

if (process.argv[1] === import.meta.filename) build();
