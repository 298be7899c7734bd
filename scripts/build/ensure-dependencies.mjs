/** Installs packages of package-lock.json that are missing. Imports no packages, because it runs before they are installed. */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** If the program fails, ends this process with the same exit code. */
export function run(command, ...parameters) {
  const { status, error } = spawnSync(command, parameters, { cwd: root, stdio: 'inherit' });
  if (error) console.error(`cannot run ${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function npm(...parameters) {
  const started = process.env.npm_execpath;
  if (started?.endsWith('.js')) run(process.execPath, started, ...parameters);
  else run('npm', ...parameters);
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Returns true if all packages are installed: compares npm's record of installed packages with the lock file. Packages
 * for other systems are not installed. Some packages have no hash in the lock file.
 */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(
    ([path, { version, integrity, optional }]) =>
      path === '' || (installed[path] ? isSame(installed[path], version, integrity) : optional),
  );
}

const isSame = (installed, version, integrity) =>
  installed.version === version && (integrity === undefined || installed.integrity === integrity);

export function ensureDependencies() {
  if (isInstalled()) return;
  console.log('▸ installing dependencies (once, needs the network)');
  npm('ci', '--include=dev', '--no-audit', '--no-fund');
}

if (process.argv[1] === import.meta.filename) ensureDependencies();
