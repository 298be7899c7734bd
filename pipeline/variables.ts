/** Parsers of the HUBLEDGER_ variables. */
import { accessSync, constants, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDay } from './ledger/day.js';

/**
 * Parses a variable.
 * @throws Error with the expected form
 */
export type Parse<T> = (text: string) => T;

const matching =
  (pattern: RegExp, expected: string): Parse<string> =>
  (value) => {
    if (!pattern.test(value)) throw new Error(`must be ${expected}`);
    return value;
  };

const text = matching(
  /^(?!\s)[^\p{Cc}\p{Zl}\p{Zp}]+(?<!\s)$/u,
  'text without control characters, and without white space around it',
);
const token = matching(/^[!-~]+$/, 'printable ASCII without white space');
const chainId = matching(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a chain id: letters, digits, '.', '_' and '-' only");
const logLevel = matching(
  /^(trace|debug|info|warn|error|fatal|silent)$/,
  'trace, debug, info, warn, error, fatal or silent',
);

const listOf =
  <T>(item: Parse<T>): Parse<T[]> =>
  (value) =>
    value.split(',').map((part) => item(part.trim()));
const sourceNames = listOf(matching(/^[\w-][\w.-]*$/, 'names of sources, separated by commas'));

const integer =
  (least: number, most: number): Parse<number> =>
  (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return number;
  };

/** Returns a share from 0 to 1. */
const share: Parse<number> = (value) => {
  if (value === 'all') return 1;
  const [, percent] = /^(\d{1,3}(?:\.\d{1,4})?)%$/.exec(value) ?? [];
  const part = value === '0' ? 0 : Number(percent) / 100;
  if (!(part <= 1)) throw new Error("must be 'all', 0 or a percentage such as 2%");
  return part;
};

const hostName = /^(?!.*(^|\.)\d+$)[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const host: Parse<string> = (value) => {
  if (isIP(value) === 0 && !hostName.test(value)) throw new Error('must be an IP address or the name of a host');
  return value;
};

/**
 * Returns the URL without trailing slashes. URL parsers repair faults that other programs do not, so faulty URLs are
 * rejected.
 */
const url =
  (...schemes: string[]): Parse<string> =>
  (value) => {
    const address = value.replace(/\/+$/, '');
    const isWhole = URL.canParse(address) && !/[\s\p{Cc}\\]/u.test(address);
    if (!isWhole || !schemes.some((scheme) => address.startsWith(`${scheme}://`))) {
      throw new Error(`must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
    }
    return address;
  };

/** A base URL for paths. */
const httpUrl: Parse<string> = (value) => {
  const address = url('http', 'https')(value);
  if (/[?#]/.test(address)) throw new Error('must be a URL without query and fragment');
  return withoutUser(address);
};

function withoutUser(address: string): string {
  if (/^\w+:\/\/[^/]*@/.test(address)) throw new Error('must be a URL without a user name');
  return address;
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

const folder: Parse<string> = (value) => {
  const path = resolve(text(value));
  if (!isFolder(path)) throw new Error('must be an existing folder');
  return path;
};

/** A folder created on first use. */
const ownFolder: Parse<string> = (value) => {
  const path = resolve(text(value));
  let existing = path;
  while (!statSync(existing, { throwIfNoEntry: false })) existing = dirname(existing);
  if (!isFolder(existing)) throw new Error('must be a folder, or a path where a folder can be created');
  return path;
};

/** Returns the path of a file: URL. */
function filePath(value: string): string {
  try {
    return fileURLToPath(value);
  } catch {
    throw new Error('must be a file: URL with an absolute path');
  }
}

/** One recording, or one or more nodes. */
const chainSources: Parse<string[]> = (value) => {
  const any = url('http', 'https', 'file');
  const sources = listOf((part) => (part.startsWith('http') ? httpUrl(part) : any(part)))(value);
  const recording = sources.find((source) => source.startsWith('file:'));
  if (recording === undefined) return sources;
  if (sources.length > 1) throw new Error('must not name other URLs together with a recording');
  if (!isFolder(filePath(recording))) throw new Error('must name an existing folder of a recording');
  return sources;
};

/** A readable file, as path or file: URL. */
const readableFile: Parse<string> = (value) => {
  const path = value.startsWith('file:') ? filePath(value) : resolve(text(value));
  if (isFolder(path)) throw new Error('must be a file, not a folder');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const [reason] = (error as Error).message.split(', '); // drops the system call and path
    throw new Error(`cannot be read: ${reason}`);
  }
  return path;
};

/** Path or URL of a genesis or export; a file must exist. */
export const startingState: Parse<string> = (value) => {
  if (/^https?:/.test(value)) return withoutUser(url('http', 'https')(value));
  readableFile(value);
  return value;
};

const day: Parse<string> = (value) => {
  if (!isDay(value)) throw new Error('must be a day as YYYY-MM-DD');
  return value;
};
const instant: Parse<Date> = (value) => {
  const pattern = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
  if (!isDay(pattern.exec(value)?.[1] ?? '')) {
    throw new Error('must be an RFC 3339 instant such as 2026-05-01T00:00:00Z');
  }
  return new Date(value);
};

const networks: Parse<Record<string, string[]>> = (value) => {
  const wrong = new Error('must be JSON of the form {"network": ["https://…", …]}');
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw wrong;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong;
  return Object.fromEntries(
    Object.entries(parsed).map(([name, endpoints]) => {
      if (name.trim() === '' || !Array.isArray(endpoints) || endpoints.length === 0) throw wrong;
      return [name, endpoints.map((endpoint) => httpUrl(String(endpoint)))];
    }),
  );
};

const unsupported: Parse<never> = () => {
  throw new Error('is not supported by this version');
};

/** All variables with their parsers; also listed in docs/operations/configuration.md. */
export const VARIABLES = {
  HUBLEDGER_RPC_URLS: chainSources,
  HUBLEDGER_LCD_URLS: listOf(httpUrl),
  HUBLEDGER_NODE_CHAIN_ID: chainId,
  HUBLEDGER_GENESIS: startingState,
  HUBLEDGER_CORRECTIONS: readableFile,
  HUBLEDGER_TIP_DISTANCE: integer(0, 1_000),
  HUBLEDGER_CROSS_CHECK: share,
  HUBLEDGER_STATE_HEAP: integer(128, 65_536),
  HUBLEDGER_INDEX_START: day,
  HUBLEDGER_DATA_DIR: ownFolder,
  HUBLEDGER_PRICE_DIR: folder,
  HUBLEDGER_PRICE_SOURCES: sourceNames,
  HUBLEDGER_HOST: host,
  HUBLEDGER_PORT: integer(0, 65535),
  HUBLEDGER_METRICS_PORT: integer(0, 65535),
  HUBLEDGER_BASE_URL: httpUrl,
  HUBLEDGER_WASM_URL: httpUrl,
  HUBLEDGER_DATABASE_URL: url('postgres', 'postgresql'),
  HUBLEDGER_REDIS_URL: url('redis', 'rediss'),
  HUBLEDGER_OIDC_ISSUER: httpUrl,
  HUBLEDGER_OIDC_CLIENT_ID: text,
  HUBLEDGER_OIDC_CLIENT_SECRET: text,
  HUBLEDGER_STORE_URL: unsupported,
  HUBLEDGER_S3_ENDPOINT: unsupported,
  HUBLEDGER_NOW: instant,
  HUBLEDGER_RATE_LIMIT: integer(0, 1_000_000_000),
  HUBLEDGER_TRUSTED_HOPS: integer(0, 100),
  HUBLEDGER_NETWORKS: networks,
  HUBLEDGER_GITHUB_API_URL: httpUrl,
  HUBLEDGER_GITHUB_TOKEN: token,
  HUBLEDGER_LOG_LEVEL: logLevel,
} as const;

/** Variables whose value is never printed. */
export const SECRETS = new Set([
  'HUBLEDGER_DATABASE_URL',
  'HUBLEDGER_REDIS_URL',
  'HUBLEDGER_GITHUB_TOKEN',
  'HUBLEDGER_OIDC_CLIENT_SECRET',
]);
