/**
 * Parses the HUBLEDGER_ variables into one frozen object. No other file reads these variables. If a variable is unknown
 * or invalid, the program ends with one line that names it.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { VariableError } from './base/config-error.js';
import { harmless, quoted } from './base/json/quoted.js';
import { projectRoot } from './base/project.js';
import { addressFault } from './base/values/address.js';
import { isDay } from './base/values/day.js';
import { isZone } from './base/values/zone-names.js';

/** Headers by host, or by '*' for all hosts. They may contain keys, so they are never logged. */
export type NodeHeaders = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Parse<T> = (text: string) => T;

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
const queueKey = matching(/^[0-9a-f]{64}$/i, '64 hexadecimal digits, made by openssl rand -hex 32');
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

/** Requests a minute that each key of a tier may send, by the tier's name. */
export type Tiers = ReadonlyMap<string, number>;

export const KEY_LIMIT_MAX = 1_000_000;

/** Word that takes a key's limit back, so no tier can have this name. */
export const DEFAULT_LIMIT = 'default';

/** Reads the requests a minute of a key. @returns undefined unless it is a whole number from 1 to KEY_LIMIT_MAX */
export const keyLimit = (text: string): number | undefined =>
  /^[1-9]\d{0,6}$/.test(text) && Number(text) <= KEY_LIMIT_MAX ? Number(text) : undefined;

const tiers: Parse<Tiers> = (value) => {
  const found = new Map<string, number>();
  for (const part of value.split(',')) {
    const [, name, number] = /^([a-z][a-z0-9-]{0,29})=(.*)$/.exec(part.trim()) ?? [];
    const requests = keyLimit(number ?? '');
    if (name === undefined || name === DEFAULT_LIMIT || found.has(name) || requests === undefined) {
      throw new Error(
        `must be different names with requests a minute from 1 to ${KEY_LIMIT_MAX}, such as bronze=120,gold=600, and no name ${DEFAULT_LIMIT}`,
      );
    }
    found.set(name, requests);
  }
  return found;
};

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
 * Returns a parser that removes trailing slashes from a URL. Rejects URLs with faults such as spaces, which some
 * parsers repair and others do not.
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

export const httpUrl: Parse<string> = (value) => {
  const address = url('http', 'https')(value);
  if (/[?#]/.test(address)) throw new Error('must be a URL without query and fragment');
  return withoutUser(address);
};

/** Published files contain the base URL in a field of fixed length. */
const baseUrl: Parse<string> = (value) => {
  const address = httpUrl(value);
  if (address.length > 200) throw new Error('must have at most 200 characters');
  return address;
};

/** Accepts a user name and a query, because both may contain the key of a node. */
export const nodeUrl: Parse<string> = (value) => {
  const address = url('http', 'https')(value);
  if (address.includes('#')) throw new Error('must be a URL without fragment');
  return address;
};

const ratesUrl: Parse<string> = (value) => (value === 'none' ? value : nodeUrl(value));

/** Accepts headers for all nodes, and objects with headers for single hosts. */
const nodeHeaders: Parse<NodeHeaders> = (value) => {
  const wrong = new Error('must be JSON of the form {"x-api-key": "…"} or {"rpc.example": {"x-api-key": "…"}}');
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {}
  if (!isObject(parsed)) throw wrong;
  const headers: Record<string, Record<string, string>> = {};
  for (const [name, given] of Object.entries(parsed)) {
    const [host, headersOfHost] = isObject(given) ? [name, given] : ['*', { [name]: given }];
    for (const [header, text] of Object.entries(headersOfHost)) {
      if (!/^[\w-]+$/.test(header) || typeof text !== 'string' || !/^[ -~]*$/.test(text)) throw wrong;
      headers[host] = { ...headers[host], [header.toLowerCase()]: text };
    }
  }
  return headers;
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

const parseFolder: Parse<string> = (value) => {
  const path = resolve(text(value));
  let existing = path;
  while (!statSync(existing, { throwIfNoEntry: false })) existing = dirname(existing);
  if (!isFolder(existing)) throw new Error('must be a folder, or a path where a folder can be created');
  return path;
};

function filePath(value: string): string {
  try {
    return fileURLToPath(value);
  } catch {
    throw new Error('must be a file: URL with an absolute path');
  }
}

const chainSources: Parse<string[]> = (value) => {
  const any = url('http', 'https', 'file');
  const sources = listOf((part) => (part.startsWith('http') ? nodeUrl(part) : any(part)))(value);
  const recording = sources.find((source) => source.startsWith('file:'));
  if (recording === undefined) return sources;
  if (sources.length > 1) throw new Error('must not name other URLs together with a recording');
  if (!isFolder(filePath(recording))) throw new Error('must name an existing folder of a recording');
  return sources;
};

const readableFile: Parse<string> = (value) => {
  const path = value.startsWith('file:') ? filePath(value) : resolve(text(value));
  if (isFolder(path)) throw new Error('must be a file, not a folder');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    const [reason] = (error as Error).message.split(', '); // takes the text before the names of the system call and the path
    throw new Error(`cannot be read: ${reason}`);
  }
  return path;
};

/** Returns PEM text. The value is the text itself, also with `\\n` instead of line feeds, or the path of its file. */
function pemText(value: string): string {
  if (value.includes('-----BEGIN ')) return value.replaceAll('\\n', '\n');
  const path = readableFile(value);
  if (statSync(path).size > PEM_MAX_BYTES) throw new Error('must be PEM, or a file of it: the file is too large');
  return readFileSync(path, 'utf8');
}

const PEM_MAX_BYTES = 64 * 1024;

function ed25519(read: () => KeyObject, expected: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {} // throws the error below
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error(`must be ${expected} as PEM, or a file of it`);
  return key;
}

/** Accepts a private key. Returns PEM. */
const signingKey: Parse<string> = (value) => {
  const pem = pemText(value);
  ed25519(() => createPrivateKey(pem), 'an Ed25519 private key without a password');
  return pem;
};

/** Accepts one or more public keys, one after the other. Returns each as PEM. */
const followKeys: Parse<string[]> = (value) => {
  const pem = pemText(value);
  // Node.js would derive the public key of a private key, which must not leave the machine of the nightly run.
  if (pem.includes('PRIVATE KEY')) throw new Error('must be a public key, and it is a private one');
  const blocks = pem.match(/-----BEGIN [\s\S]*?-----END [A-Z ]+-----/g) ?? [''];
  for (const block of blocks) ed25519(() => createPublicKey(block), 'Ed25519 public keys');
  return blocks;
};

/** Accepts the path or URL of a genesis file or an export. A path must exist. */
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

const timeZone: Parse<string> = (value) => {
  if (!isZone(value)) throw new Error('must be a time zone such as Europe/Berlin, in these letters');
  return value;
};

/** Returns nanoseconds since 1970, sorted. */
const edges: Parse<bigint[]> = (value) => {
  const instants = listOf((part) => {
    const fraction = /\.(\d+)/.exec(part)?.[1] ?? '';
    try {
      if (fraction.length > NANO_DIGITS) throw new Error(`must have at most ${NANO_DIGITS} decimal places`);
      const second = instant(fraction ? part.replace(`.${fraction}`, '') : part).getTime();
      return BigInt(second) * 1_000_000n + BigInt(fraction.padEnd(NANO_DIGITS, '0'));
    } catch (error) {
      throw new Error(`has the item ${harmless(quoted(part))}, which ${(error as Error).message}`);
    }
  })(value);
  return [...new Set(instants)].sort((a, b) => (a < b ? -1 : 1));
};

const NANO_DIGITS = 9;

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

const trustedBlock: Parse<{ height: number; hash: string }> = (value) => {
  const [, height, hash] = /^([1-9]\d{0,14}):([0-9a-fA-F]{64})$/.exec(value) ?? [];
  if (hash === undefined) throw new Error('must be <height>:<block hash>, the hash with 64 hexadecimal digits');
  return { height: Number(height), hash: hash.toUpperCase() };
};

/** Parses wallet addresses. Does not check the chain's prefix, because it is in the reference data. */
const wallets: Parse<string[]> = (value) => {
  if (value.trim() === '') throw new Error('is empty: name addresses, or unset it to index the whole chain');
  const addresses = listOf((part) => {
    const prefix = part.slice(0, Math.max(part.lastIndexOf('1'), 0));
    const fault = addressFault(part, prefix.toLowerCase());
    if (fault) throw new Error(`must be addresses of accounts, separated by commas: ${fault}`);
    return part.toLowerCase();
  })(value);
  return [...new Set(addresses)].sort();
};

export const storeUrl: Parse<string> = (value) => {
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/.test(value)) return value.replace(/\/$/, '');
  if (!value.startsWith('file:///')) throw new Error('must be s3://bucket/prefix or file:///path');
  return pathToFileURL(parseFolder(filePath(value))).href;
};

const BYTES_OF = { '': 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

const byteSize: Parse<number> = (value) => {
  const [, number, unit] = /^(\d{1,9}) ?(kB|MB|GB|TB|)$/.exec(value) ?? [];
  if (number === undefined) throw new Error('must be a size such as 20 GB');
  return Number(number) * BYTES_OF[unit as keyof typeof BYTES_OF];
};

export const VARIABLES = {
  HUBLEDGER_RPC_URLS: chainSources,
  HUBLEDGER_LCD_URLS: listOf(nodeUrl),
  HUBLEDGER_NODE_HEADERS: nodeHeaders,
  HUBLEDGER_NODE_CHAIN_ID: chainId,
  HUBLEDGER_WALLETS: wallets,
  HUBLEDGER_TRUST: trustedBlock,
  HUBLEDGER_GENESIS: startingState,
  HUBLEDGER_CORRECTIONS: readableFile,
  HUBLEDGER_TIP_DISTANCE: integer(0, 1_000),
  HUBLEDGER_CROSS_CHECK: share,
  HUBLEDGER_STATE_HEAP: integer(128, 65_536),
  HUBLEDGER_INDEX_START: day,
  HUBLEDGER_EDGES: edges,
  HUBLEDGER_TIMEZONE: timeZone,
  HUBLEDGER_DATA_DIR: parseFolder,
  HUBLEDGER_DATA_ROOT: parseFolder,
  HUBLEDGER_PRICE_DIR: folder,
  HUBLEDGER_PRICE_SOURCES: sourceNames,
  HUBLEDGER_RATES_URL: ratesUrl,
  HUBLEDGER_RATES_FILE: readableFile,
  HUBLEDGER_HOST: host,
  HUBLEDGER_PORT: integer(0, 65535),
  HUBLEDGER_METRICS_PORT: integer(0, 65535),
  HUBLEDGER_BASE_URL: baseUrl,
  HUBLEDGER_WASM_URL: httpUrl,
  HUBLEDGER_DATABASE_URL: url('postgres', 'postgresql'),
  HUBLEDGER_REDIS_URL: url('redis', 'rediss'),
  HUBLEDGER_OIDC_ISSUER: httpUrl,
  HUBLEDGER_OIDC_CLIENT_ID: text,
  HUBLEDGER_OIDC_CLIENT_SECRET: text,
  HUBLEDGER_STORE_URL: storeUrl,
  HUBLEDGER_S3_ENDPOINT: httpUrl,
  HUBLEDGER_CACHE_BYTES: byteSize,
  HUBLEDGER_QUEUE_URL: url('redis', 'rediss', 'postgres', 'postgresql'),
  HUBLEDGER_QUEUE_KEY: queueKey,
  HUBLEDGER_FOLLOW_URL: httpUrl,
  HUBLEDGER_FOLLOW_KEY: followKeys,
  HUBLEDGER_SIGNING_KEY: signingKey,
  HUBLEDGER_NOW: instant,
  HUBLEDGER_RATE_LIMIT: integer(0, 1_000_000_000),
  HUBLEDGER_TIERS: tiers,
  HUBLEDGER_TRUSTED_HOPS: integer(0, 100),
  HUBLEDGER_NETWORKS: networks,
  HUBLEDGER_GITHUB_API_URL: httpUrl,
  HUBLEDGER_GITHUB_TOKEN: token,
  HUBLEDGER_LOG_LEVEL: logLevel,
} as const;

const SECRETS = new Set([
  'HUBLEDGER_NODE_HEADERS',
  'HUBLEDGER_DATABASE_URL',
  'HUBLEDGER_REDIS_URL',
  'HUBLEDGER_QUEUE_URL',
  'HUBLEDGER_QUEUE_KEY',
  'HUBLEDGER_GITHUB_TOKEN',
  'HUBLEDGER_FOLLOW_KEY',
  'HUBLEDGER_SIGNING_KEY',
  'HUBLEDGER_OIDC_CLIENT_SECRET',
]);

export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Config {
  /** True if HUBLEDGER_RPC_URLS is not set. The bundled recording is then used. */
  readonly sample: boolean;
  readonly rpcUrls: readonly string[];
  readonly lcdUrls: readonly string[];
  readonly nodeHeaders: NodeHeaders;
  /** Addresses of the only wallets to index, sorted. If undefined, the whole chain is indexed. */
  readonly wallets: readonly string[] | undefined;
  /** Block that the light client trusts. If undefined, it trusts the first block on which two nodes agree. */
  readonly trust: { readonly height: number; readonly hash: string } | undefined;
  readonly nodeChainId: string | undefined;
  /** Path or URL of the starting state. */
  readonly genesis: string | undefined;
  /** Number of newest blocks that are not indexed. If undefined, indexBlocks chooses the number. */
  readonly tipDistance: number | undefined;
  /** Share of heights that are compared with a second node. From 0 to 1. */
  readonly crossCheck: number;
  /** Heap limit in MiB of the thread that computes holdings. */
  readonly stateHeap: number;
  readonly corrections: string | undefined;
  /** First UTC day of the index, YYYY-MM-DD. */
  readonly indexStart: string;
  readonly isDefaultStart: boolean;
  /** Further instants at which unclaimed rewards are kept, in nanoseconds since 1970. */
  readonly edges: readonly bigint[];
  /** Zone that pages propose first. If undefined, that of the browser. */
  readonly timezone: string | undefined;
  readonly dataDir: string;
  /** `s3://bucket/prefix` or `file:///path` of the object store. If undefined, the data folder is the only store. */
  readonly storeUrl: string | undefined;
  /** URL of an S3 server. If undefined, AWS is used. */
  readonly s3Endpoint: string | undefined;
  /** Base URL of the server from which this server takes its generations. */
  readonly followUrl: string | undefined;
  /** Public keys (PEM). Only generations that one of them has signed are taken. If undefined, all are. */
  readonly followKeys: readonly string[] | undefined;
  /** Private key (PEM) with which nightly runs sign manifests. If undefined, they do not sign them. */
  readonly signingKey: string | undefined;
  /** Maximum size of local copies of a remote store, in bytes. */
  readonly cacheBytes: number;
  /**
   * URL of Redis, Valkey or PostgreSQL. A nightly run passes jobs to workers through this queue. If undefined, threads
   * run the jobs.
   */
  readonly queueUrl: string | undefined;
  /** Key that signs jobs and their results, 64 hexadecimal digits. Defined if `queueUrl` is. */
  readonly queueKey: string | undefined;
  /** Folder of price files. Undefined by default; the sample has one. */
  readonly priceDir: string | undefined;
  /** Names of price sources. If undefined, the methodology's sources are used; if 'none', only price files. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  /** Address of exchange rates; undefined if none are fetched. */
  readonly ratesUrl: string | undefined;
  readonly ratesFile: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number | undefined;
  readonly baseUrl: string;
  readonly wasmUrl: string;
  readonly redisUrl: string | undefined;
  readonly rateLimit: number;
  /** Empty by default. */
  readonly tiers: Tiers;
  readonly trustedHops: number;
  /** URL of the PostgreSQL database for accounts. If undefined, an embedded database in the data folder is used. */
  readonly databaseUrl: string | undefined;
  readonly oidc: OpenIdSettings | undefined;
  readonly networks: Readonly<Record<string, readonly string[]>> | undefined;
  readonly githubApiUrl: string;
  readonly githubToken: string | undefined;
  readonly logLevel: string;
  /** Returns the current time, or the time in HUBLEDGER_NOW if that is set. */
  readonly now: () => Date;
}

/** Default heap limit in MiB. It suffices for 1.1 million delegations with rewards in 20 denoms. */
const STATE_HEAP = 768;

const CACHE_BYTES = 20e9;

export const releasesFile = (dataDir: string) => join(dataDir, 'releases.json');

/** Matches values that may contain secrets: user names, passwords, and paths and queries of URLs, where node providers put keys. */
const MAY_HOLD_KEY = /@|https?:\/\/[^/?#\s,"]+[/?#]+[^/?#\s,"]/;

type Values = { [Name in keyof typeof VARIABLES]?: ReturnType<(typeof VARIABLES)[Name]> };

function readVariables(environment: NodeJS.ProcessEnv): Values {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('HUBLEDGER_') || value === undefined) continue;
    const parse = (VARIABLES as Record<string, Parse<unknown>>)[name];
    if (!parse) {
      throw new VariableError(
        `${harmless(quoted(name)).slice(1, -1)} is not a variable of hubledger; see docs/operations/configuration.md`,
      );
    }
    // Compose files pass unset variables as empty strings. An empty list of wallets would index the whole chain.
    if (value === '' && name !== 'HUBLEDGER_WALLETS') continue;
    try {
      values[name] = parse(value);
    } catch (error) {
      const shown = SECRETS.has(name) || MAY_HOLD_KEY.test(value) ? '' : ` (it is ${harmless(quoted(value))})`;
      throw new VariableError(`${name} ${(error as Error).message}${shown}`);
    }
  }
  return values as Values;
}

/** @throws VariableError if the data folder takes its generations from another server */
export function expectNoFollowing({ followUrl }: Pick<Config, 'followUrl'>, command: string): void {
  if (followUrl === undefined) return;
  throw new VariableError(
    `HUBLEDGER_FOLLOW_URL is set, so this data folder gets its datasets from another server: unset it for ${command}, and use another HUBLEDGER_DATA_DIR`,
  );
}

/** Returns the environment of this process with other values of some variables. */
export const environmentWith = (values: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...process.env, ...values });

/** @throws VariableError if no source of blocks is set, and this installation has no sample */
export function expectBlocks({ rpcUrls }: Pick<Config, 'rpcUrls'>): void {
  if (rpcUrls.length > 0) return;
  throw new VariableError(
    'HUBLEDGER_RPC_URLS is not set, and this installation has no sample: set it, or use the command report, which chooses nodes',
  );
}

/**
 * Hides a warning of the S3 client: its later versions need a later version of Node.js.
 */
export function hideSdkWarning(): void {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
}

export const readsNode = ({ rpcUrls }: Pick<Config, 'rpcUrls'>) => rpcUrls.some((url) => /^https?:/.test(url));

/**
 * Reads the configuration from the variables. Checks that files and folders exist, but creates nothing.
 * @throws VariableError with one line that names the variable
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(environment);
  const root = projectRoot();
  const sampleDir = join(root, 'data/sample');
  const hasSample = existsSync(sampleDir); // an installed package has none
  const sample = values.HUBLEDGER_RPC_URLS === undefined && hasSample;
  const port = values.HUBLEDGER_PORT ?? 8080;
  const baseUrl = values.HUBLEDGER_BASE_URL ?? `http://localhost:${port}`;
  const priceDir = values.HUBLEDGER_PRICE_DIR ?? (sample ? join(sampleDir, 'prices') : undefined);
  const now = values.HUBLEDGER_NOW;
  requireNodes(values);
  const dataRoot = values.HUBLEDGER_DATA_ROOT ?? (hasSample ? join(root, 'data') : userDataFolder());
  const dataDir = values.HUBLEDGER_DATA_DIR ?? join(dataRoot, folderName(values));
  if (values.HUBLEDGER_STORE_URL === pathToFileURL(dataDir).href)
    throw new VariableError('HUBLEDGER_STORE_URL must be another folder than HUBLEDGER_DATA_DIR');
  if (values.HUBLEDGER_QUEUE_URL && !values.HUBLEDGER_STORE_URL)
    throw new VariableError('HUBLEDGER_QUEUE_URL needs HUBLEDGER_STORE_URL: jobs and results travel through the store');
  if (values.HUBLEDGER_QUEUE_URL && !values.HUBLEDGER_QUEUE_KEY)
    throw new VariableError(
      'HUBLEDGER_QUEUE_URL needs HUBLEDGER_QUEUE_KEY, which signs jobs: make one by openssl rand -hex 32, and set it on the coordinator and its workers only',
    );
  if (values.HUBLEDGER_FOLLOW_URL !== undefined && values.HUBLEDGER_STORE_URL !== undefined)
    throw new VariableError('HUBLEDGER_FOLLOW_URL and HUBLEDGER_STORE_URL must not both be set: follow one of them');
  return Object.freeze<Config>({
    sample,
    rpcUrls: values.HUBLEDGER_RPC_URLS ?? (sample ? [pathToFileURL(sampleDir).href] : []),
    lcdUrls: values.HUBLEDGER_LCD_URLS ?? [],
    nodeHeaders: values.HUBLEDGER_NODE_HEADERS ?? {},
    wallets: values.HUBLEDGER_WALLETS,
    trust: values.HUBLEDGER_TRUST,
    nodeChainId: values.HUBLEDGER_NODE_CHAIN_ID ?? (sample ? sampleChainId(sampleDir) : undefined),
    genesis: values.HUBLEDGER_GENESIS ?? (sample ? join(sampleDir, 'genesis.json.gz') : undefined),
    tipDistance: values.HUBLEDGER_TIP_DISTANCE,
    crossCheck: crossCheckShare(values),
    stateHeap: values.HUBLEDGER_STATE_HEAP ?? STATE_HEAP,
    corrections: values.HUBLEDGER_CORRECTIONS,
    indexStart: values.HUBLEDGER_INDEX_START ?? '2025-12-31',
    isDefaultStart: values.HUBLEDGER_INDEX_START === undefined,
    edges: values.HUBLEDGER_EDGES ?? [],
    timezone: values.HUBLEDGER_TIMEZONE,
    dataDir,
    storeUrl: values.HUBLEDGER_STORE_URL,
    s3Endpoint: values.HUBLEDGER_S3_ENDPOINT,
    queueUrl: values.HUBLEDGER_QUEUE_URL,
    queueKey: values.HUBLEDGER_QUEUE_KEY,
    followUrl: values.HUBLEDGER_FOLLOW_URL,
    followKeys: values.HUBLEDGER_FOLLOW_KEY,
    signingKey: values.HUBLEDGER_SIGNING_KEY,
    cacheBytes: values.HUBLEDGER_CACHE_BYTES ?? CACHE_BYTES,
    priceDir,
    priceSources: knownSources(values.HUBLEDGER_PRICE_SOURCES, priceDir, root),
    ...rateSources(values, sample ? join(sampleDir, SAMPLE_RATES) : undefined),
    host: values.HUBLEDGER_HOST ?? '127.0.0.1',
    port,
    metricsPort: values.HUBLEDGER_METRICS_PORT,
    baseUrl,
    wasmUrl: values.HUBLEDGER_WASM_URL ?? baseUrl,
    redisUrl: values.HUBLEDGER_REDIS_URL,
    rateLimit: values.HUBLEDGER_RATE_LIMIT ?? 60,
    tiers: values.HUBLEDGER_TIERS ?? new Map(),
    trustedHops: values.HUBLEDGER_TRUSTED_HOPS ?? 0,
    databaseUrl: values.HUBLEDGER_DATABASE_URL,
    oidc: openIdSettings(values),
    networks: values.HUBLEDGER_NETWORKS,
    githubApiUrl: values.HUBLEDGER_GITHUB_API_URL ?? 'https://api.github.com',
    githubToken: values.HUBLEDGER_GITHUB_TOKEN,
    logLevel: values.HUBLEDGER_LOG_LEVEL ?? 'info',
    now: now ? () => now : () => new Date(),
  });
}

function knownSources(
  names: readonly string[] | undefined,
  priceDir: string | undefined,
  root: string,
): Config['priceSources'] {
  if (names === undefined) return undefined;
  if (names.join() === 'none') return 'none';
  const methodologies = join(root, 'data/reference/methodology');
  const known = new Set<string>(
    readdirSync(methodologies).flatMap((file) => {
      return JSON.parse(readFileSync(join(methodologies, file), 'utf8')).parameters.sources;
    }),
  );
  const hasFiles = (name: string) => priceDir !== undefined && existsSync(join(priceDir, name));
  const unknown = names.find((name) => !known.has(name) && !hasFiles(name));
  if (unknown === undefined) return names;
  throw new VariableError(
    `HUBLEDGER_PRICE_SOURCES names ${harmless(quoted(unknown))}, which is neither in the methodology nor in ${priceDir ?? 'a price directory'}`,
  );
}

/** The bank's whole history of euro reference rates, one day a line. */
const BANK_RATES = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip';
const SAMPLE_RATES = 'eurofxref-hist.csv';

/**
 * Chooses the sources of exchange rates. Without a named source, the sample has a file of its own, other recordings
 * have none, and the bank is asked otherwise.
 */
function rateSources(values: Values, sampleFile: string | undefined): Pick<Config, 'ratesUrl' | 'ratesFile'> {
  const { HUBLEDGER_RPC_URLS: urls, HUBLEDGER_RATES_URL: url, HUBLEDGER_RATES_FILE: file } = values;
  const isNamed = url !== undefined || file !== undefined;
  const bank = !isNamed && urls && readsNode({ rpcUrls: urls }) ? BANK_RATES : undefined;
  const fetched = url ?? bank;
  const isFetched = fetched !== 'none' && values.HUBLEDGER_PRICE_SOURCES?.join() !== 'none';
  return {
    ratesUrl: isFetched ? fetched : undefined,
    ratesFile: file ?? (urls === undefined && !isNamed ? sampleFile : undefined),
  };
}

function requireNodes({ HUBLEDGER_WALLETS: named, HUBLEDGER_RPC_URLS: urls }: Values): void {
  if (named === undefined || (urls && readsNode({ rpcUrls: urls }))) return;
  throw new VariableError('HUBLEDGER_WALLETS needs the URL of a node with a search index in HUBLEDGER_RPC_URLS');
}

/** Returns the folder in which this system keeps the data of a user's programs. */
export function userDataFolder(): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = process.env;
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/hubledger');
  if (process.platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'hubledger');
  return join(XDG_DATA_HOME || join(homedir(), '.local/share'), 'hubledger');
}

/** Returns the name of the data folder: the sample, single wallets and the whole chain have separate ones. */
function folderName(values: Values): string {
  const { HUBLEDGER_WALLETS, HUBLEDGER_RPC_URLS, HUBLEDGER_FOLLOW_URL, HUBLEDGER_STORE_URL } = values;
  if (HUBLEDGER_WALLETS) return 'wallets';
  return (HUBLEDGER_RPC_URLS ?? HUBLEDGER_FOLLOW_URL ?? HUBLEDGER_STORE_URL) ? 'local' : 'sample-dataset';
}

const CROSS_CHECK = 0.02;

function crossCheckShare({ HUBLEDGER_RPC_URLS: urls, HUBLEDGER_CROSS_CHECK: share = CROSS_CHECK }: Values): number {
  if (share < 1 || urls?.length !== 1 || urls[0]!.startsWith('file:')) return share;
  throw new VariableError('HUBLEDGER_CROSS_CHECK=all needs a second endpoint in HUBLEDGER_RPC_URLS');
}

function openIdSettings(values: Values): OpenIdSettings | undefined {
  const { HUBLEDGER_OIDC_ISSUER: issuer, HUBLEDGER_OIDC_CLIENT_ID: clientId } = values;
  const clientSecret = values.HUBLEDGER_OIDC_CLIENT_SECRET;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  if (!issuer && !clientId && !clientSecret) return undefined;
  throw new VariableError(
    'HUBLEDGER_OIDC_ISSUER, HUBLEDGER_OIDC_CLIENT_ID and HUBLEDGER_OIDC_CLIENT_SECRET belong together',
  );
}

/** Returns the chain id of the sample. The sample is a small chain that runs the Hub's software. */
function sampleChainId(sampleDir: string): string {
  return JSON.parse(readFileSync(join(sampleDir, 'status.json'), 'utf8')).node_info.network;
}
