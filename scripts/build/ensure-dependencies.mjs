/** Installs missing packages of npm-shrinkwrap.json. Imports no packages, because it runs before they are installed. */
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Runs a program. If it fails, ends this process with the same exit code. */
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

/** `glibc` or `musl` on Linux; undefined elsewhere. */
const libc = () => {
  if (process.platform !== 'linux') return undefined;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
};

/**
 * Returns true for a package that contains the compiled part of another package for this system. npm counts such parts
 * as optional, so `npm ci --omit=optional` leaves them out. But DuckDB and the compiler cannot run without them.
 */
const isPartForSystem = ({ os, cpu, libc: libcs = [libc()] }) =>
  os?.includes(process.platform) && cpu?.includes(process.arch) && libcs.includes(libc());

/**
 * Returns the paths of packages that are missing or differ. Optional packages may be missing. Some packages have no
 * hash in the lock file, so their versions are compared.
 * @param wanted packages of the lock file
 * @param installed packages of npm's record of installed packages
 */
export const missingPackages = (wanted, installed) =>
  Object.entries(wanted)
    .filter(([path, entry]) => {
      if (path === '') return false;
      if (installed[path]) return !isSame(installed[path], entry.version, entry.integrity);
      return !entry.optional || isPartForSystem(entry);
    })
    .map(([path]) => path);

const isSame = (installed, version, integrity) =>
  installed.version === version && (integrity === undefined || installed.integrity === integrity);

export function ensureDependencies() {
  const wanted = readPackages('npm-shrinkwrap.json');
  const installed = readPackages('node_modules/.package-lock.json');
  const missing = wanted && installed && missingPackages(wanted, installed);
  if (missing?.length === 0) return;
  console.log('▸ installing dependencies (once, needs the network)');
  const isPart = (path) => wanted[path].optional && !installed[path] && path.lastIndexOf('node_modules/') === 0;
  if (!missing?.every(isPart)) return npm('ci', '--include=dev', '--no-audit', '--no-fund');
  // After `npm ci --omit=optional`. `npm ci` would also install the packages that the user left out.
  const parts = missing.map((path) => `${path.slice('node_modules/'.length)}@${wanted[path].version}`);
  npm('install', '--no-save', '--omit=optional', '--no-audit', '--no-fund', ...parts);
}

if (process.argv[1] === import.meta.filename) ensureDependencies();
