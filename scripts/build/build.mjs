/** Compiles the TypeScript sources into dist/, bundles the pages, and removes compiled files without a source. */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.mjs';
import { ensureDependencies, root } from './ensure-dependencies.mjs';

/** Removes compiled files whose source was deleted. Otherwise a deleted test would still run. */
export function removeLeftovers() {
  const dist = join(root, 'dist');
  if (!existsSync(dist)) return;
  for (const file of readdirSync(dist, { recursive: true })) {
    if (file.startsWith('web')) continue;
    const source = file.replace(/\.js(\.map)?$/, '.ts');
    if (source !== file && !existsSync(join(root, source))) rmSync(join(dist, file));
  }
}

/** Matches messages of Go, Node.js or the kernel that mean that the compiler ran out of memory. */
const OUT_OF_MEMORY = /SIGKILL|out of memory|cannot allocate memory/i;

/** Runs the compiler. If it fails, ends this process with the same exit code. */
function compile(...parameters) {
  const compiler = ['node_modules/typescript/bin/tsc', ...parameters];
  const { status, signal, stderr } = spawnSync(process.execPath, compiler, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status === 0) return;
  if (signal === 'SIGKILL' || OUT_OF_MEMORY.test(stderr)) {
    console.error('The compiler ran out of memory. It needs up to 1.2 GiB of free memory.');
  } else {
    process.stderr.write(stderr);
  }
  process.exit(status || 1);
}

/** Notes the commit for `hubledger --version`. An image is built without git, so its builder states the commit. */
function noteCommit() {
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
    cwd: root,
    encoding: 'utf8',
  });
  writeFileSync(join(root, 'dist/commit.txt'), process.env.COMMIT || stdout || '');
}

export function build() {
  removeLeftovers();
  compile();
  compile('--project', 'server/web');
  buildWeb();
  noteCommit();
}

if (process.argv[1] === import.meta.filename) {
  ensureDependencies();
  build();
}
