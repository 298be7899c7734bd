/**
 * The environment as one frozen object. Every HUBLEDGER_ variable that the operator's manual names is read here and
 * nowhere else; a wrong or unknown one stops the start with one line that names it.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from './config-error.js';
import { projectRoot } from './project.js';

/** A client that is registered at an OpenID provider. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Config {
  /** True when no RPC URL is given: the bundled recording is the chain. */
  readonly sample: boolean;
  readonly rpcUrls: readonly string[];
  readonly lcdUrls: readonly string[];
  /** Network id that the node must report; undefined = the one of the chain file. */
  readonly nodeChainId: string | undefined;
  /** File or URL of the starting state, or undefined. */
  readonly genesis: string | undefined;
  /** First UTC day of the index, YYYY-MM-DD. */
  readonly indexStart: string;
  readonly dataDir: string;
  readonly priceDir: string;
  /** Sources to use; undefined = those of the methodology; 'none' = every folder of the price directory. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly wasmUrl: string;
  readonly redisUrl: string | undefined;
  readonly rateLimit: number;
  readonly trustedHops: number;
  /** PostgreSQL for what people gave; undefined = the store embedded under the data directory. */
  readonly databaseUrl: string | undefined;
  /** Where people may sign in beside their wallets. */
  readonly oidc: OpenIdSettings | undefined;
  readonly networks: Readonly<Record<string, readonly string[]>> | undefined;
  readonly githubApiUrl: string;
  readonly githubToken: string | undefined;
  readonly logLevel: string;
  /** The instant that counts as now: the clock, or HUBLEDGER_NOW standing still. */
  readonly now: () => Date;
}

/** Where the release watcher leaves what it found for the server. */
export const releasesFile = (dataDir: string) => join(dataDir, 'releases.json');

type Parse<T> = (text: string) => T;

const text: Parse<string> = (value) => value;
const list: Parse<string[]> = (value) => value.split(',').map((part) => part.trim());
const integer =
  (least: number, most: number): Parse<number> =>
  (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new ConfigError(`must be a whole number from ${least} to ${most}`);
    }
    return number;
  };
const url =
  (...protocols: string[]): Parse<string> =>
  (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !protocols.includes(parsed.protocol)) {
      throw new ConfigError(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    }
    return value.replace(/\/+$/, '');
  };
const urls =
  (...protocols: string[]): Parse<string[]> =>
  (value) =>
    list(value).map(url(...protocols));
const day: Parse<string> = (value) => {
  const date = new Date(`${value}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== value) {
    throw new ConfigError('must be a day as YYYY-MM-DD');
  }
  return value;
};
const instant: Parse<Date> = (value) => {
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) || Number.isNaN(date.getTime())) {
    throw new ConfigError('must be an RFC 3339 instant such as 2026-05-01T00:00:00Z');
  }
  return date;
};
const logLevel: Parse<string> = (value) => {
  if (!/^(trace|debug|info|warn|error|fatal|silent)$/.test(value)) {
    throw new ConfigError('must be trace, debug, info, warn, error, fatal or silent');
  }
  return value;
};
const networks: Parse<Record<string, string[]>> = (value) => {
  const wrong = new ConfigError('must be JSON of the form {"network": ["https://…", …]}');
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw wrong;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw wrong;
  const checked = url('http:', 'https:');
  return Object.fromEntries(
    Object.entries(parsed).map(([name, endpoints]) => {
      if (!Array.isArray(endpoints) || endpoints.length === 0) throw wrong;
      return [name, endpoints.map((endpoint) => checked(String(endpoint)))];
    }),
  );
};
const unsupported: Parse<never> = () => {
  throw new ConfigError('is not supported by this version');
};

/** Every variable there is: name → how its text is read. The operator's manual lists the same names. */
export const VARIABLES = {
  HUBLEDGER_RPC_URLS: urls('http:', 'https:', 'file:'),
  HUBLEDGER_LCD_URLS: urls('http:', 'https:'),
  HUBLEDGER_NODE_CHAIN_ID: text,
  HUBLEDGER_GENESIS: text,
  HUBLEDGER_INDEX_START: day,
  HUBLEDGER_DATA_DIR: text,
  HUBLEDGER_PRICE_DIR: text,
  HUBLEDGER_PRICE_SOURCES: list,
  HUBLEDGER_HOST: text,
  HUBLEDGER_PORT: integer(0, 65535),
  HUBLEDGER_BASE_URL: url('http:', 'https:'),
  HUBLEDGER_WASM_URL: url('http:', 'https:'),
  HUBLEDGER_DATABASE_URL: url('postgres:', 'postgresql:'),
  HUBLEDGER_REDIS_URL: url('redis:', 'rediss:'),
  HUBLEDGER_OIDC_ISSUER: url('http:', 'https:'),
  HUBLEDGER_OIDC_CLIENT_ID: text,
  HUBLEDGER_OIDC_CLIENT_SECRET: text,
  HUBLEDGER_STORE_URL: unsupported,
  HUBLEDGER_S3_ENDPOINT: unsupported,
  HUBLEDGER_NOW: instant,
  HUBLEDGER_RATE_LIMIT: integer(0, 1_000_000_000),
  HUBLEDGER_TRUSTED_HOPS: integer(0, 100),
  HUBLEDGER_NETWORKS: networks,
  HUBLEDGER_GITHUB_API_URL: url('http:', 'https:'),
  HUBLEDGER_GITHUB_TOKEN: text,
  HUBLEDGER_LOG_LEVEL: logLevel,
} as const;

/** Their text is never shown. */
const SECRETS = new Set([
  'HUBLEDGER_DATABASE_URL',
  'HUBLEDGER_REDIS_URL',
  'HUBLEDGER_GITHUB_TOKEN',
  'HUBLEDGER_OIDC_CLIENT_SECRET',
]);

type Values = { [Name in keyof typeof VARIABLES]?: ReturnType<(typeof VARIABLES)[Name]> };

function readVariables(environment: NodeJS.ProcessEnv): Values {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('HUBLEDGER_') || value === undefined) continue;
    const parse = (VARIABLES as Record<string, Parse<unknown>>)[name];
    if (!parse) throw new ConfigError(`${name} is not a variable of hubledger; see the list in README.md`);
    if (value === '') continue; // as unset: compose files and shells pass empty ones along
    try {
      values[name] = parse(value);
    } catch (error) {
      const shown = SECRETS.has(name) ? '' : `, not ${JSON.stringify(value)}`;
      throw new ConfigError(`${name} ${(error as Error).message}${shown}`);
    }
  }
  return values as Values;
}

/** Whether blocks come from a node, and not from recordings alone: only then has the world gone on since. */
export const readsNode = ({ rpcUrls }: Pick<Config, 'rpcUrls'>) => rpcUrls.some((url) => /^https?:/.test(url));

/**
 * The configuration that an environment asks for.
 * @throws ConfigError with one line that names the variable
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(environment);
  const root = projectRoot();
  const sampleDir = join(root, 'data/sample');
  const sample = values.HUBLEDGER_RPC_URLS === undefined;
  const port = values.HUBLEDGER_PORT ?? 8080;
  const baseUrl = values.HUBLEDGER_BASE_URL ?? `http://localhost:${port}`;
  const sources = values.HUBLEDGER_PRICE_SOURCES;
  const now = values.HUBLEDGER_NOW;
  const fromRoot = (path: string) => (isAbsolute(path) ? path : resolve(path));
  return Object.freeze<Config>({
    sample,
    rpcUrls: values.HUBLEDGER_RPC_URLS ?? [pathToFileURL(sampleDir).href],
    lcdUrls: values.HUBLEDGER_LCD_URLS ?? [],
    nodeChainId: values.HUBLEDGER_NODE_CHAIN_ID ?? (sample ? sampleChainId(sampleDir) : undefined),
    genesis: values.HUBLEDGER_GENESIS ?? (sample ? join(sampleDir, 'genesis.json.gz') : undefined),
    indexStart: values.HUBLEDGER_INDEX_START ?? '2025-12-31',
    dataDir: values.HUBLEDGER_DATA_DIR ? fromRoot(values.HUBLEDGER_DATA_DIR) : join(root, 'data/local'),
    priceDir: values.HUBLEDGER_PRICE_DIR ? fromRoot(values.HUBLEDGER_PRICE_DIR) : join(sampleDir, 'prices'),
    priceSources: sources?.length === 1 && sources[0] === 'none' ? 'none' : sources,
    host: values.HUBLEDGER_HOST ?? '127.0.0.1',
    port,
    baseUrl,
    wasmUrl: values.HUBLEDGER_WASM_URL ?? baseUrl,
    redisUrl: values.HUBLEDGER_REDIS_URL,
    rateLimit: values.HUBLEDGER_RATE_LIMIT ?? 60,
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

/** All three of its variables, or none. @throws ConfigError */
function openIdSettings(values: Values): OpenIdSettings | undefined {
  const { HUBLEDGER_OIDC_ISSUER: issuer, HUBLEDGER_OIDC_CLIENT_ID: clientId } = values;
  const clientSecret = values.HUBLEDGER_OIDC_CLIENT_SECRET;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  if (!issuer && !clientId && !clientSecret) return undefined;
  throw new ConfigError(
    'HUBLEDGER_OIDC_ISSUER, HUBLEDGER_OIDC_CLIENT_ID and HUBLEDGER_OIDC_CLIENT_SECRET belong together',
  );
}

/** The recorded chain's own id: the sample is a chain that runs the Hub's program, not the Hub. */
function sampleChainId(sampleDir: string): string {
  return JSON.parse(readFileSync(join(sampleDir, 'status.json'), 'utf8')).node_info.network;
}
