/** The lock file: a hash for every package, so that nobody installs other bytes than those that were tested. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../pipeline/project.js';

interface Entry {
  readonly integrity?: string;
  readonly optional?: true;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** Programs for systems other than Linux on x64, in versions of which the registry had no file when they were locked. */
const WITHOUT_HASH = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@duckdb/node-bindings-darwin-arm64',
  '@duckdb/node-bindings-darwin-x64',
  '@duckdb/node-bindings-linux-arm64',
  '@duckdb/node-bindings-linux-arm64-musl',
  '@duckdb/node-bindings-win32-arm64',
  '@duckdb/node-bindings-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
];

const { packages } = JSON.parse(readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

test('every package has a SHA-512, but some programs for other systems', () => {
  const others = Object.entries(packages).filter(
    ([path, { integrity }]) => path !== '' && !/^sha512-/.test(integrity ?? ''),
  );
  assert.deepEqual(
    others.map(([path]) => path.replace('node_modules/', '')),
    WITHOUT_HASH,
  );
  for (const [path, { optional, os, cpu }] of others) assert.ok(optional && os && cpu, path);
});
