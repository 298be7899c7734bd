/**
 * Reads the environment into one frozen object. HUBLEDGER_ variables are read only here. An invalid or unknown one stops
 * the start with one line that names it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VariableError } from './config-error.js';
import { harmless, quoted } from './json/quoted.js';
import { projectRoot } from './project.js';
import { type Parse, SECRETS, VARIABLES } from './variables.js';

/** A client registered with an OpenID provider. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Config {
  /** True without RPC URLs: the bundled recording is used. */
  readonly sample: boolean;
  readonly rpcUrls: readonly string[];
  readonly lcdUrls: readonly string[];
  /** Network id that the node must report; undefined = the chain file's. */
  readonly nodeChainId: string | undefined;
  /** File or URL of the starting state. */
  readonly genesis: string | undefined;
  /** Blocks to stay behind a node's tip; undefined = a few if the chain is live. */
  readonly tipDistance: number | undefined;
  /** Share of heights compared with a second node, from 0 to 1. */
  readonly crossCheck: number;
  /** MiB of heap for a thread with the state of the whole chain. */
  readonly stateHeap: number;
  /** File of corrections of the fold. */
  readonly corrections: string | undefined;
  /** First UTC day of the index, YYYY-MM-DD. */
  readonly indexStart: string;
  /** True if `indexStart` is the default. */
  readonly isDefaultStart: boolean;
  readonly dataDir: string;
  /** Folder of price files; by default only the sample has one. */
  readonly priceDir: string | undefined;
  /** Price sources; undefined = the methodology's; 'none' = only the folders of the price directory. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly host: string;
  readonly port: number;
  /** Port for metrics; undefined = the service's port. */
  readonly metricsPort: number | undefined;
  /** URL without a trailing slash. */
  readonly baseUrl: string;
  readonly wasmUrl: string;
  readonly redisUrl: string | undefined;
  readonly rateLimit: number;
  readonly trustedHops: number;
  /** PostgreSQL for accounts; undefined = embedded in the data directory. */
  readonly databaseUrl: string | undefined;
  /** Provider for sign-in besides wallets. */
  readonly oidc: OpenIdSettings | undefined;
  readonly networks: Readonly<Record<string, readonly string[]>> | undefined;
  readonly githubApiUrl: string;
  readonly githubToken: string | undefined;
  readonly logLevel: string;
  /** The clock, or the constant HUBLEDGER_NOW. */
  readonly now: () => Date;
}

/** Enough for 1.1 million delegations with rewards in 20 denoms; a night stays below 1.5 GiB. */
const STATE_HEAP = 768;

/** The release watcher writes this file for the server. */
export const releasesFile = (dataDir: string) => join(dataDir, 'releases.json');

/** Matches user names and passwords, and paths of URLs, in which node providers put keys. */
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
    if (value === '') continue; // compose files and shells pass empty variables for unset ones
    try {
      values[name] = parse(value);
    } catch (error) {
      const shown = SECRETS.has(name) || MAY_HOLD_KEY.test(value) ? '' : ` (it is ${harmless(quoted(value))})`;
      throw new VariableError(`${name} ${(error as Error).message}${shown}`);
    }
  }
  return values as Values;
}

/** Returns false if all blocks come from recordings. */
export const readsNode = ({ rpcUrls }: Pick<Config, 'rpcUrls'>) => rpcUrls.some((url) => /^https?:/.test(url));

/**
 * Creates nothing, but checks that files and folders exist.
 * @throws VariableError with one line that names the variable
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values = readVariables(environment);
  const root = projectRoot();
  const sampleDir = join(root, 'data/sample');
  const sample = values.HUBLEDGER_RPC_URLS === undefined;
  const port = values.HUBLEDGER_PORT ?? 8080;
  const baseUrl = values.HUBLEDGER_BASE_URL ?? `http://localhost:${port}`;
  const priceDir = values.HUBLEDGER_PRICE_DIR ?? (sample ? join(sampleDir, 'prices') : undefined);
  const now = values.HUBLEDGER_NOW;
  return Object.freeze<Config>({
    sample,
    rpcUrls: values.HUBLEDGER_RPC_URLS ?? [pathToFileURL(sampleDir).href],
    lcdUrls: values.HUBLEDGER_LCD_URLS ?? [],
    nodeChainId: values.HUBLEDGER_NODE_CHAIN_ID ?? (sample ? sampleChainId(sampleDir) : undefined),
    genesis: values.HUBLEDGER_GENESIS ?? (sample ? join(sampleDir, 'genesis.json.gz') : undefined),
    tipDistance: values.HUBLEDGER_TIP_DISTANCE,
    crossCheck: crossCheckShare(values),
    stateHeap: values.HUBLEDGER_STATE_HEAP ?? STATE_HEAP,
    corrections: values.HUBLEDGER_CORRECTIONS,
    indexStart: values.HUBLEDGER_INDEX_START ?? '2025-12-31',
    isDefaultStart: values.HUBLEDGER_INDEX_START === undefined,
    dataDir: values.HUBLEDGER_DATA_DIR ?? join(root, 'data/local'),
    priceDir,
    priceSources: knownSources(values.HUBLEDGER_PRICE_SOURCES, priceDir, root),
    host: values.HUBLEDGER_HOST ?? '127.0.0.1',
    port,
    metricsPort: values.HUBLEDGER_METRICS_PORT,
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

/** @throws VariableError for a source without a methodology and without files */
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

/** Default share of heights. */
const CROSS_CHECK = 0.02;

/** @throws VariableError if every height needs a second node and there is none */
function crossCheckShare({ HUBLEDGER_RPC_URLS: urls, HUBLEDGER_CROSS_CHECK: share = CROSS_CHECK }: Values): number {
  if (share < 1 || urls?.length !== 1 || urls[0]!.startsWith('file:')) return share;
  throw new VariableError('HUBLEDGER_CROSS_CHECK=all needs a second endpoint in HUBLEDGER_RPC_URLS');
}

/** @throws VariableError unless all three variables are set, or none */
function openIdSettings(values: Values): OpenIdSettings | undefined {
  const { HUBLEDGER_OIDC_ISSUER: issuer, HUBLEDGER_OIDC_CLIENT_ID: clientId } = values;
  const clientSecret = values.HUBLEDGER_OIDC_CLIENT_SECRET;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  if (!issuer && !clientId && !clientSecret) return undefined;
  throw new VariableError(
    'HUBLEDGER_OIDC_ISSUER, HUBLEDGER_OIDC_CLIENT_ID and HUBLEDGER_OIDC_CLIENT_SECRET belong together',
  );
}

/** The sample is a different chain that runs the Hub's program. */
function sampleChainId(sampleDir: string): string {
  return JSON.parse(readFileSync(join(sampleDir, 'status.json'), 'utf8')).node_info.network;
}
