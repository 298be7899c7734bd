/**
 * `hubledger report`: the records of a person's own wallets by one command. Finds nodes, makes or renews the dataset of
 * these wallets in a folder of their own, and opens the report, or writes files and ends.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigError, VariableError } from '../../pipeline/base/config-error.js';
import { makeFolder, replaceFile } from '../../pipeline/base/disk/atomic-files.js';
import { type Config, environmentWith, readConfig, userDataFolder } from '../../pipeline/config.js';
import { lastGeneration } from '../../pipeline/publish/generation.js';
import { loadReference } from '../../pipeline/reference.js';
import { readAddresses } from '../../server/tax/parameters/addresses.js';
import { bestNodes, formatReports } from '../check-nodes/describe.js';
import { runDueNight } from '../due-night.js';
import { nightDue } from '../schedule/night-due.js';
import { walletLinks } from '../wallet-links.js';
import { publicNodes, surveyNodes, urlAfter } from './check-nodes.js';
import { type ExportRequest, itemsOf, writeFiles } from './export.js';

interface Options {
  readonly rpc?: readonly string[];
  readonly rest?: readonly string[];
  readonly year?: string;
  readonly country?: string | undefined;
  readonly pdf?: true;
  readonly csv?: true;
  readonly out: string;
  /** False with --no-open. */
  readonly open: boolean;
}

interface ChosenNodes {
  readonly rpc: readonly string[];
  readonly rest: readonly string[];
}

async function report(given: readonly string[], options: Options): Promise<void> {
  const { chain, countries } = loadReference();
  const read = readAddresses(itemsOf(given), chain.bech32_prefix, (message) => {
    throw new VariableError(`<address>: ${message}`);
  });
  const wallets = [...new Set(read)].sort();
  if (options.year !== undefined && !/^\d{4}$/.test(options.year))
    throw new VariableError('--year must be a year, YYYY');
  const country = options.country?.toUpperCase();
  if (country !== undefined && !countries.some((one) => one.country === country))
    throw new VariableError(`--country must be one of ${countries.map((one) => one.country).join(', ')}`);
  const isWritten = options.pdf || options.csv;
  const config = await prepare(wallets, options, isWritten ? {} : { HUBLEDGER_PORT: await usualPort() });
  if (isWritten) await write(wallets, { ...options, country }, config);
  else await show(wallets, options, config);
}

/** Runs a nightly run of these wallets if one is due, and prints their states. @returns the configuration */
async function prepare(
  wallets: readonly string[],
  { rpc, rest = [], year }: Options,
  more: NodeJS.ProcessEnv,
): Promise<Config> {
  const given = environmentWith({});
  const start = given.HUBLEDGER_INDEX_START ?? (year && year <= '2025' ? `${Number(year) - 1}-12-31` : undefined);
  const folder = join(given.HUBLEDGER_DATA_ROOT ?? join(userDataFolder(), 'reports'), folderName(wallets, start));
  const values = {
    HUBLEDGER_DATA_DIR: given.HUBLEDGER_DATA_DIR ?? join(folder, 'data'),
    HUBLEDGER_WALLETS: wallets.join(),
    ...(start && { HUBLEDGER_INDEX_START: start }),
    ...more,
  };
  const remembered = rpc || given.HUBLEDGER_RPC_URLS ? undefined : readNodes(folder);
  const chosen = rpc
    ? { rpc, rest }
    : (remembered ?? (given.HUBLEDGER_RPC_URLS ? undefined : await chooseNodes(folder)));
  let environment = environmentWith({ ...values, ...(chosen && variablesOf(chosen)) });
  const known = readConfig(environment);
  if (year && Number(year) > known.now().getUTCFullYear()) throw new VariableError(`--year ${year} has not begun`);
  const due = nightDue(known, loadReference());
  if (due) {
    // Public nodes come and go.
    if (remembered) environment = environmentWith({ ...values, ...variablesOf(await chooseNodes(folder)) });
    console.log(`▸ records in ${values.HUBLEDGER_DATA_DIR}: a run starts, because ${due.reason}`);
    await runDueNight(due, environment);
  }
  const config = readConfig(environment);
  for (const { address, state, missing, unconfirmed } of lastGeneration(config.dataDir)!.manifest.own_wallets ?? [])
    console.log([`${address}: ${state}`, ...missing, ...unconfirmed].join('; '));
  return config;
}

/** Names a folder by its wallets and its first day. */
function folderName(wallets: readonly string[], start: string | undefined): string {
  const hash = createHash('sha256').update(wallets.join()).digest('hex').slice(0, 8);
  const count = wallets.length > 1 ? `-${wallets.length}` : '';
  return `${wallets[0]!.slice(0, 14)}${count}-${hash}${start ? `-${start}` : ''}`;
}

const variablesOf = ({ rpc, rest }: ChosenNodes) => ({
  HUBLEDGER_RPC_URLS: rpc.join(),
  ...(rest.length > 0 && { HUBLEDGER_LCD_URLS: rest.join() }),
});

const nodesFile = (folder: string) => join(folder, 'nodes.json');

function readNodes(folder: string): ChosenNodes | undefined {
  try {
    const { rpc, rest } = JSON.parse(readFileSync(nodesFile(folder), 'utf8'));
    return Array.isArray(rpc) && Array.isArray(rest) ? { rpc, rest } : undefined;
  } catch {
    return undefined;
  }
}

/** Tests the known public nodes and remembers the best. @throws ConfigError if none can search */
async function chooseNodes(folder: string): Promise<ChosenNodes> {
  const urls = publicNodes();
  console.log(`▸ nodes: testing the ${urls.length} known public endpoints`);
  const reports = await surveyNodes(urls, urls, readConfig(environmentWith({ HUBLEDGER_DATA_DIR: folder })));
  const { rpc, rest } = bestNodes(reports);
  if (rpc.length === 0) {
    console.error(formatReports(reports));
    throw new ConfigError('no known public node can search: name a node by --rpc <url>, or try again later');
  }
  const chosen = { rpc: rpc.map(({ url }) => url), rest: rest.slice(0, 1).map(({ url }) => url) };
  console.log(`▸ nodes: ${[...chosen.rpc, ...chosen.rest].map((url) => new URL(url).host).join(', ')}`);
  makeFolder(folder);
  replaceFile(nodesFile(folder), `${JSON.stringify(chosen, null, 2)}\n`);
  return chosen;
}

/** The page leaves undecided receipts out until the owner decides, and so do files without the owner's statements. */
const UNDECIDED = { assetDecisions: { '*': { mode: 'exclude' } } };

async function write(
  wallets: readonly string[],
  { year: stated, country, pdf, csv, out }: Options,
  config: Config,
): Promise<void> {
  const year = stated ?? String(config.now().getUTCFullYear());
  const tables = country ? ['tax-year.income', 'tax-year.disposals', 'tax-year.holdings'] : ['events', 'summary'];
  const profiles = [...(pdf ? [country ? 'tax-year.pdf' : 'summary.pdf'] : []), ...(csv ? tables : [])];
  const requests = profiles.map((profile): ExportRequest => {
    return { addresses: wallets, profile, year, country, statements: UNDECIDED };
  });
  await writeFiles(requests, { year, out }, config);
  console.log('Receipts that look like spam are left out. Without --pdf and --csv, the report asks about each.');
}

/** Serves the report until Ctrl-C, and opens it in the browser. */
async function show(wallets: readonly string[], options: Options, config: Config): Promise<void> {
  const { serveDataset } = await import('./serve.js');
  await serveDataset(config, async () => () => {
    showLinks(wallets, options, config);
    return async () => {}; // nothing to stop
  });
}

/** Prints the links to the report, and opens the first one. */
function showLinks(wallets: readonly string[], { year, open }: Options, { baseUrl }: Config): void {
  const links = walletLinks(baseUrl, wallets).map(([name, url]) => [name, year ? `${url}&year=${year}` : url] as const);
  for (const [name, url] of links) console.log(`${name}: ${url}`);
  console.log('Ctrl-C ends the report. The same command opens it again, with the new blocks of another day.');
  if (open && process.stdout.isTTY) openPage(links[0]![1]);
}

/** Returns the port that is set; otherwise the usual port, or a free one if it is in use. */
const usualPort = async (): Promise<string> => environmentWith({}).HUBLEDGER_PORT ?? String(await freePort(8080));

function freePort(usual: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(freePort(0)));
    server.listen(usual, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens a page in the browser of the desktop. Without a desktop, the printed link is enough. */
function openPage(url: string): void {
  const [program, ...parameters] = OPENERS[process.platform] ?? ['xdg-open'];
  const page = process.platform === 'win32' ? url.replaceAll('&', '^&') : url;
  spawn(program!, [...parameters, page], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

export const examples = ['cosmos1…', 'cosmos1… cosmos1… --year 2026', 'cosmos1… --country DE --year 2026 --pdf --csv'];

const HELP = `
Without --rpc, HUBLEDGER_RPC_URLS names the nodes, else the best known public nodes are used. The nodes see your addresses.
Each set of wallets has a folder of its own in HUBLEDGER_DATA_ROOT, else in the folder of your data:
  Linux    ~/.local/share/hubledger/reports
  macOS    ~/Library/Application Support/hubledger/reports
  Windows  %LOCALAPPDATA%\\hubledger\\reports
Uninstalling leaves it. --year 2025 or earlier needs nodes that have the blocks of that year.`;

export function declare(command: Command): void {
  command
    .argument('<address...>', 'your wallets')
    .option('--rpc <url...>', 'RPC endpoints of nodes with a search index', urlAfter)
    .option('--rest <url...>', 'REST endpoints of nodes', urlAfter)
    .option('--year <year>', 'calendar year, or the year in which the tax year begins; default: this year')
    .option('--country <code>', 'country whose rules the files follow, for example DE')
    .option('--pdf', 'write the paper of the year and end')
    .option('--csv', 'write the tables of the year and end')
    .option('--out <folder>', 'folder of these files', '.')
    .option('--no-open', 'open no browser')
    .addHelpText('after', HELP)
    .action(report);
}
