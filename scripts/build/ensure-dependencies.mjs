/**
 * Installs the packages of package-lock.json when node_modules lacks them; it needs no network, and a few milliseconds, when none is
 * missing. It is plain JavaScript, like everything that must run before there are packages.
 */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Runs a program in the project's folder and shows its output. Ends this process with the program's exit code when it fails. */
export function run(command, ...parameters) {
  const { status, error } = spawnSync(command, parameters, { cwd: root, stdio: 'inherit' });
  if (error) console.error(`cannot run ${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs npm: the one that started this process, or the one on the path. */
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
 * Tells whether npm's own record of what it installed agrees with the lock file. Packages for other systems are absent; for some of
 * them the lock file has no hash, and npm's record the one of what came.
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

/** Installs missing packages. */
export function ensureDependencies() {
  if (isInstalled()) return;
  console.log('▸ installing dependencies (once, needs the network)');
  npm('ci', '--include=dev', '--no-audit', '--no-fund');
}

if (process.argv[1] === import.meta.filename) ensureDependencies();
