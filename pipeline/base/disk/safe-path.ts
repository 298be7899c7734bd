/** Checks paths and keys that another machine has sent, before they are joined to a folder. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config-error.js';
import { harmless, quoted } from '../json/quoted.js';

const SAFE = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const MAX_LENGTH = 1024;

/**
 * Returns true for a relative path whose parts contain only letters, digits, `_`, `-` and `.`, and do not begin with a
 * dot.
 */
export const isSafePath = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && SAFE.test(value);

/** Returns the path. @throws ConfigError if it is not safe */
export function expectSafePath(path: unknown): string {
  if (isSafePath(path)) return path;
  throw new ConfigError(`${harmless(quoted(String(path)))} is not the path of a file below a folder`);
}

/**
 * Joins a folder and a path below it.
 * @throws ConfigError if the path is not safe, or if it passes through a symbolic link below the folder
 */
export function joinSafely(folder: string, path: unknown): string {
  let place = folder;
  for (const name of expectSafePath(path).split('/')) {
    place = join(place, name);
    if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new ConfigError(`${place} is a symbolic link, which paths from other machines must not pass through`);
  }
  return place;
}
