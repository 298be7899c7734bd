/** The lock file: a hash for every package, so that nobody installs other bytes than those that were tested, on a supported Node.js. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../pipeline/base/project.js';

interface Entry {
  readonly integrity?: string;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync(join(projectRoot(), 'npm-shrinkwrap.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};
const { '': project, ...installed } = packages;

/** The lowest version of Node.js that a package is for, as far as its range says one in words alone: `>=20.19`. */
function lowestNode({ engines }: Entry): [major: number, minor: number] {
  const [, major, minor] = /^\s*>=\s*(\d+)(?:\.(\d+))?[\d.]*\s*$/.exec(engines?.node ?? '') ?? [];
  return [Number(major ?? 0), Number(minor ?? 0)];
}

test('every package of every system has a SHA-512', () => {
  assert.ok(Object.keys(installed).length > 200);
  assert.deepEqual(
    Object.entries(installed).filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')),
    [],
  );
});

test('no package wants a later Node.js than the project does', () => {
  const [major, minor] = lowestNode(project!);
  assert.ok(major >= 20);
  const later = Object.entries(installed).filter(([, entry]) => {
    const [wanted, wantedMinor] = lowestNode(entry);
    return wanted > major || (wanted === major && wantedMinor > minor);
  });
  assert.deepEqual(later, []);
});
