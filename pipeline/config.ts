/**
 * The environment as one frozen object. Every HUBLEDGER_ variable that the operator's manual names is read here and
 * nowhere else; a wrong or unknown one stops the start with one line that names it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { VariableError } from './config-error.js';
import { harmless, quoted } from './json/quoted.js';
import { projectRoot } from './project.js';
import { type Parse, SECRETS, VARIABLES } from './variables.js';

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
  /** Blocks to stay behind any node's tip; undefined = a few behind one that is live. */
  readonly tipDistance: number | undefined;
  /** Share of heights about which a second node is asked, from 0 to 1. */
  readonly crossCheck: number;
  /** MiB of heap for a thread that holds a state of the whole chain. */
  readonly stateHeap: number;
  /** File of the operator's corrections of the fold, or undefined. */
  readonly corrections: string | undefined;
  /** First UTC day of the index, YYYY-MM-DD. */
  readonly indexStart: string;
  /** True if no variable names that day. */
  readonly isDefaultStart: boolean;
  readonly dataDir: string;
  /** Folder of price files; undefined = none, as on every chain but the sample's unless one is named. */
  readonly priceDir: string | undefined;
  /** Sources to use; undefined = those of the methodology; 'none' = every folder of the price directory. */
  readonly priceSources: readonly string[] | 'none' | undefined;
  readonly host: string;
  readonly port: number;
  /** Port of the metrics alone; undefined = the service's own. */
  readonly metricsPort: number | undefined;
  /** URL without a trailing slash. */
  readonly baseUrl: string;
  readonly wasmUrl: string;
  readonly redisUrl: string | undefined;
  readonly rateLimit: number;
  readonly trustedHops: number;
  /** PostgreSQL for what people gave; undefined = the store embedded under the data directory. */
  readonly databaseUrl: string | undefined;
  /** Provider at which people may sign in beside their wallets. */
  readonly oidc: OpenIdSettings | undefined;
  readonly networks: Readonly<Record<string, readonly string[]>> | undefined;
  readonly githubApiUrl: string;
  readonly githubToken: string | undefined;
  readonly logLevel: string;
  /** The instant that counts as now: the clock, or HUBLEDGER_NOW standing still. */
  readonly now: () => Date;
}

/** MiB that 1.1 million delegations with rewards in 20 denoms load and fold in; the whole night is to stay under one and a half GiB. */
const STATE_HEAP = 768;

/** The file in which the release watcher leaves its findings for the server. */
export const releasesFile = (dataDir: string) => join(dataDir, 'releases.json');

/** Matches a user, which may stand with a password, and what stands behind a URL's host, where providers of nodes put keys. */
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
    if (value === '') continue; // as unset: compose files and shells pass empty ones along
    try {
      values[name] = parse(value);
    } catch (error) {
      const shown = SECRETS.has(name) || MAY_HOLD_KEY.test(value) ? '' : ` (it is ${harmless(quoted(value))})`;
      throw new VariableError(`${name} ${(error as Error).message}${shown}`);
    }
  }
  return values as Values;
}

/** Tells whether blocks come from a node, and not from recordings alone: only then has the world gone on since. */
export const readsNode = ({ rpcUrls }: Pick<Config, 'rpcUrls'>) => rpcUrls.some((url) => /^https?:/.test(url));

/**
 * The configuration that an environment asks for. Nothing is made or opened: files and folders that variables name are looked for.
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

/** Sources that a methodology names, or whose files lie in the price directory. @throws VariableError naming another one */
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

/** Share of heights of the cross-check unless the operator says otherwise. */
const CROSS_CHECK = 0.02;

/** @throws VariableError where every height needs a second node, and there is none */
function crossCheckShare({ HUBLEDGER_RPC_URLS: urls, HUBLEDGER_CROSS_CHECK: share = CROSS_CHECK }: Values): number {
  if (share < 1 || urls?.length !== 1 || urls[0]!.startsWith('file:')) return share;
  throw new VariableError('HUBLEDGER_CROSS_CHECK=all needs a second endpoint in HUBLEDGER_RPC_URLS');
}

/** Reads the settings of the provider: all three of its variables, or none. @throws VariableError */
function openIdSettings(values: Values): OpenIdSettings | undefined {
  const { HUBLEDGER_OIDC_ISSUER: issuer, HUBLEDGER_OIDC_CLIENT_ID: clientId } = values;
  const clientSecret = values.HUBLEDGER_OIDC_CLIENT_SECRET;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  if (!issuer && !clientId && !clientSecret) return undefined;
  throw new VariableError(
    'HUBLEDGER_OIDC_ISSUER, HUBLEDGER_OIDC_CLIENT_ID and HUBLEDGER_OIDC_CLIENT_SECRET belong together',
  );
}

/** The recorded chain's own id: the sample is a chain that runs the Hub's program, not the Hub. */
function sampleChainId(sampleDir: string): string {
  return JSON.parse(readFileSync(join(sampleDir, 'status.json'), 'utf8')).node_info.network;
}
