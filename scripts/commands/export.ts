/**
 * `hubledger export`: writes export files without a server. It runs the code of the API endpoints, so the files have
 * the same bytes as downloads.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { ConfigError, VariableError } from '../../pipeline/base/config-error.js';
import { fileSha256, listFolder, makeFolder, replaceFile, sync } from '../../pipeline/base/disk/atomic-files.js';
import { isRecord, MemberFault, parseJson } from '../../pipeline/base/json/exact-json.js';
import { otherVersions } from '../../pipeline/books/reports/versions.js';
import { type Config, readConfig } from '../../pipeline/config.js';
import { terminalProgress } from '../../pipeline/night/progress.js';
import { generationDir, publishedGeneration, readManifest } from '../../pipeline/publish/generation.js';
import { isIndexSound } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../pipeline/reference.js';
import { bodyOf } from '../../server/api/answer.js';
import type { Endpoint } from '../../server/api/endpoint.js';
import { events } from '../../server/endpoints/events.js';
import { journal } from '../../server/endpoints/journal.js';
import { positions } from '../../server/endpoints/positions.js';
import { summary } from '../../server/endpoints/summary.js';
import { taxYear } from '../../server/endpoints/tax-year.js';
import { Problem } from '../../server/http/problem.js';
import { withResolvedDecisions } from '../../server/people/decisions.js';
import type { Queries } from '../../server/people/store/store.js';
import { type Dataset, openDataset } from '../../server/tax/dataset/dataset.js';
import { readAddresses } from '../../server/tax/parameters/addresses.js';
import { PARAMETERS, parametersOf, STATEMENTS } from '../../server/tax/parameters/parameter-schemas.js';
import { canonical, readParameters, SPLIT_PROFILES } from '../../server/tax/parameters/parameters.js';
import { memberNames } from '../../server/tax/parameters/reading.js';

export interface ExportRequest {
  readonly addresses: readonly string[];
  /**
   * Value of the API parameter `profile`, for example `koinly`. A format other than the default is appended, as in
   * `form8949.pdf`. For files without a profile, it is the name of an endpoint, such as `summary`.
   */
  readonly profile: string;
  readonly year: string;
  /** Code of the country, for files of its tax year. */
  readonly country: string | undefined;
  readonly statements: Readonly<Record<string, unknown>>;
}

/** Endpoints with a parameter `profile`, and its allowed values. */
const ENDPOINTS: readonly (readonly [Endpoint, readonly string[]])[] = [
  [events, PARAMETERS.profile.schema.enum!],
  [journal, [...PARAMETERS.journal_profile.schema.enum!, 'form8949.pdf']],
];

/** Endpoints whose CSV is written without a profile, by name. */
const PLAIN: Readonly<Record<string, Endpoint>> = { summary, events, positions, journal, 'tax-year': taxYear };

/** Other files of these endpoints. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  summary: ['pdf'],
  'tax-year': ['pdf', ...PARAMETERS.section.schema.enum!],
};

/** Returns the endpoint of `summary`, `summary.pdf` or `tax-year.income`, with the part after the dot. */
function plainOf(profile: string): { endpoint: Endpoint; variant: string | undefined } | undefined {
  const [name, variant] = profile.split('.') as [string, string?];
  const endpoint = PLAIN[name];
  if (!endpoint || (variant !== undefined && !VARIANTS[name]?.includes(variant))) return undefined;
  return { endpoint, variant };
}

function endpointOf(profile: string): Endpoint {
  const found = plainOf(profile)?.endpoint ?? ENDPOINTS.find(([, profiles]) => profiles.includes(profile))?.[0];
  if (found) return found;
  const variants = Object.entries(VARIANTS).flatMap(([name, all]) => all.map((variant) => `${name}.${variant}`));
  const known = [...Object.keys(PLAIN), ...variants, ...ENDPOINTS.flatMap(([, profiles]) => profiles)].join(', ');
  throw new VariableError(`--profile: unknown profile ${profile}; known: ${known}`);
}

/**
 * Members that the statements file may have. Wallets, days and profiles are not among them, because they are command
 * options.
 */
const MEMBERS = [...STATEMENTS, 'accounts', 'tax_rate', 'opening', 'group', 'fees'] as const;

type Given = Readonly<Record<string, unknown>>;

const statedAs = (name: (typeof MEMBERS)[number], given: Given) =>
  memberNames(PARAMETERS[name]).find((member) => Object.hasOwn(given, member));

/** @throws VariableError for an unknown member, because it may be misspelled */
function requireStatements(given: unknown): Given {
  if (!isRecord(given)) throw new VariableError('--statements: must be a JSON object');
  const known = new Set(MEMBERS.flatMap((name) => memberNames(PARAMETERS[name])));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return given;
  const names = MEMBERS.map((name) => PARAMETERS[name].member.name).join(', ');
  throw new VariableError(`--statements: unknown member ${unknown.join(', ')}; known: ${names}`);
}

/**
 * Returns the wallets and statements for each file. A file contains one wallet or, with `ownWallets: "carry"`, all
 * wallets. For most tax programs it is then an archive.
 * @throws VariableError if an opening lot has no wallet address
 */
function byFile(wallets: readonly string[], given: Given): Pick<ExportRequest, 'addresses' | 'statements'>[] {
  if (given[statedAs('own_wallets', given) ?? ''] === 'carry') return [{ addresses: wallets, statements: given }];
  const member = statedAs('opening_lots', given) ?? '';
  const lots = given[member];
  if (wallets.length === 1 || !Array.isArray(lots))
    return wallets.map((one) => ({ addresses: [one], statements: given }));
  const owners = lots.map((lot) => {
    const owner: unknown = isRecord(lot) ? lot.address : undefined;
    if (typeof owner === 'string' && wallets.includes(owner.toLowerCase())) return owner.toLowerCase();
    throw new VariableError(`--statements: each of ${member} needs the address of one of the wallets`);
  });
  return wallets.map((one) => ({
    addresses: [one],
    statements: { ...given, [member]: lots.filter((_, i) => owners[i] === one) },
  }));
}

/** Replaces the store. Exports have no account, so every query throws an error. */
const NO_STORE: Queries = {
  query: () => Promise.reject(new Error('an export has no account')),
};

/** A file that was written by an earlier export. `key` is a hash of its request and dataset. */
interface Made {
  readonly key: string;
  readonly file: string;
  readonly sha256: string;
  /** Number of files for this request. */
  readonly parts?: number | undefined;
}

const entryOf = ({ addresses, profile, year, country }: ExportRequest, part: number): string =>
  [addresses.join(), profile, year, ...(country ? [country] : []), ...(part > 1 ? [part] : [])].join(' ');

interface MadeFile {
  readonly file: string;
  readonly isKept: boolean;
}

const LIST = '.hubledger-export.json';
const UNFINISHED = '.unfinished';

/** Unfinished files of a killed export are removed if they are at least this old. */
const ABANDONED_MS = 3_600_000;

function readList(path: string): Record<string, Made> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** Removes unfinished files of killed exports. Recent ones stay, because their export may still be running. */
function removeAbandoned(folder: string): void {
  for (const name of listFolder(folder).filter((one) => one.endsWith(UNFINISHED))) {
    const written = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written < Date.now() - ABANDONED_MS) rmSync(join(folder, name), { force: true });
  }
}

class ExportFolder {
  private readonly made: Record<string, Made>;

  constructor(
    private readonly folder: string,
    private readonly dataset: Dataset,
    private readonly today: string,
  ) {
    try {
      makeFolder(folder);
      removeAbandoned(folder);
    } catch (error) {
      throw new ConfigError(`--out: ${(error as Error).message}`);
    }
    this.made = readList(join(folder, LIST));
  }

  /**
   * Writes the files for a request. There are several files only if the program limits the lines of a file.
   * @throws Problem if the API would refuse the request
   */
  async *make(exported: ExportRequest): AsyncGenerator<MadeFile> {
    let part = 1;
    for (let parts = 1; part <= parts; part++) {
      const { made, isKept } = await this.makePart(exported, part);
      parts = made.parts ?? 1;
      yield { file: made.file, isKept };
    }
    for (let known = this.made[entryOf(exported, part)]; known; known = this.made[entryOf(exported, ++part)])
      this.drop(known);
  }

  /** Removes an earlier file if its name has changed, for example part 1 of 2 if there are now three parts. */
  private drop({ file }: Made): void {
    rmSync(join(this.folder, file), { force: true });
  }

  /**
   * Writes a file, unless the same request and dataset have already produced it. The file gets its final name when it
   * is complete.
   */
  private async makePart(exported: ExportRequest, part: number): Promise<{ made: Made; isKept: boolean }> {
    const endpoint = endpointOf(exported.profile);
    const body = this.requestOf(exported, part);
    const { reference, tag } = this.dataset;
    const networks = { names: [], get: () => undefined };
    const now = new Date(this.today);
    const parsed = readParameters(parametersOf(endpoint), { body }, { reference, networks, now });
    const key = createHash('sha256')
      .update(`${tag}\n${endpoint.path}\n${canonical(parsed)}`)
      .digest('hex');
    const entry = entryOf(exported, part);
    const known = this.made[entry];
    if (known?.key === key && (await this.isWhole(known))) return { made: known, isKept: true };
    const sources = { dataset: this.dataset, store: NO_STORE, account: undefined };
    const parameters = await withResolvedDecisions(parsed, endpoint.decisions!, sources);
    const request = {
      parameters,
      dataset: this.dataset,
      today: this.today,
      now,
      widget: undefined,
      isEnding: false,
    };
    endpoint.admit?.(request);
    const answer = bodyOf(await endpoint.handle(request));
    const file = answer.fileName!;
    const sha256 = await this.write(file, 'bytes' in answer ? [answer.bytes] : answer.chunks);
    if (known && known.file !== file) this.drop(known);
    // An archive has several files but is one file in the folder.
    const made = { key, file, sha256, ...('part' in body && { parts: answer.parts }) };
    this.made[entry] = made;
    this.remember();
    return { made, isKept: false };
  }

  /** Returns the body of the API request that produces a file. */
  private requestOf(
    { addresses, profile, year, country, statements }: ExportRequest,
    part: number,
  ): Record<string, unknown> {
    const plain = plainOf(profile);
    const written = plain && (plain.variant === 'pdf' ? { format: 'pdf' } : { format: 'csv' });
    if (plain?.endpoint === taxYear) {
      const { variant } = plain;
      const section = variant !== undefined && variant !== 'pdf' ? { section: variant } : {};
      return { ...statements, address: addresses, country, year, ...written, ...section };
    }
    const [first, last] = [`${year}-01-01`, `${year}-12-31`];
    const { indexEnd } = this.dataset;
    const day = last < indexEnd ? last : indexEnd;
    const days = profile === 'positions' ? { date: day } : { start: first, end: last };
    if (written) return { ...statements, address: addresses, ...days, ...written };
    const [name, format] = profile.split('.');
    const named = {
      ...(name && { profile: name }),
      ...(format && { format }),
      ...(SPLIT_PROFILES.includes(name ?? '') && { part }),
    };
    return { ...statements, address: addresses, ...days, ...named };
  }

  private async isWhole({ file, sha256 }: Made): Promise<boolean> {
    const path = join(this.folder, file);
    return existsSync(path) && (await fileSha256(path)) === sha256;
  }

  /**
   * Saves the list of written files. Reads the stored list first, because another export may have added files to it.
   */
  private remember(): void {
    const list = join(this.folder, LIST);
    replaceFile(list, `${JSON.stringify({ ...readList(list), ...this.made }, null, 2)}\n`);
  }

  /**
   * Writes a file under a unique temporary name, because another export may be writing the same file.
   * @returns SHA-256 of the content
   */
  private async write(file: string, content: Iterable<Uint8Array | string>) {
    const path = join(this.folder, file);
    const unfinished = join(this.folder, `.${file}-${randomBytes(4).toString('hex')}${UNFINISHED}`);
    try {
      const hash = createHash('sha256');
      const chunks = Readable.from(content, { objectMode: false }).on('data', (chunk) => hash.update(chunk));
      await pipeline(chunks, createWriteStream(unfinished));
      sync(unfinished);
      renameSync(unfinished, path);
      return hash.digest('hex');
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}

interface Options {
  readonly year: string;
  readonly profile: string;
  readonly out: string;
  readonly country?: string;
  readonly statements?: string;
  readonly json?: true;
}

const STEP = 'files';

const exportFiles = (addresses: readonly string[], options: Options): Promise<void> =>
  writeFiles(exportRequests(addresses, options, loadReference().chain.bech32_prefix), options, readConfig());

/** Writes the files one after another. If one file fails, continues with the next. */
export async function writeFiles(
  exported: readonly ExportRequest[],
  options: Pick<Options, 'year' | 'out' | 'json'>,
  config: Config,
): Promise<void> {
  const reference = loadReference();
  const generation = publishedGeneration(config.dataDir);
  const { dataDir } = config;
  const others = otherVersions(readManifest(generationDir(dataDir, generation)), reference);
  if (others.length > 0)
    throw new ConfigError(`${generation} was made under ${others.join(' and ')}: run ./hubledger nightly first`);
  // LMDB does not check the index. An index of another version would return wrong values, and a damaged one would crash
  // the process.
  if (!(await isIndexSound(dataDir, generation, reference))) {
    throw new ConfigError(
      `the wallet index of ${generation} is missing, damaged or another version's: run ./hubledger nightly first`,
    );
  }
  const dataset = openDataset(dataDir, generation, reference);
  try {
    warnOfGaps(options.year, dataset);
    const folder = new ExportFolder(options.out, dataset, config.now().toISOString().slice(0, 10));
    const progress =
      process.stdout.isTTY && !options.json ? terminalProgress((text) => process.stdout.write(text)) : undefined;
    const began = performance.now();
    progress?.begin(STEP);
    for (const [i, one] of exported.entries()) {
      for await (const outcome of outcomes(folder, one)) {
        const line = options.json ? JSON.stringify(outcome) : describe(outcome);
        if (progress) progress.say(line);
        else console.log(line);
      }
      progress?.update(STEP, i + 1, exported.length);
    }
    progress?.end(STEP, performance.now() - began);
  } finally {
    await dataset.close();
  }
}

interface Outcome {
  readonly outcome: 'made' | 'kept' | 'not made';
  readonly profile: string;
  readonly addresses: readonly string[];
  /** Name of the file in the folder; absent if the file was not written. */
  readonly file?: string;
  readonly error?: string;
}

async function* outcomes(folder: ExportFolder, exported: ExportRequest): AsyncGenerator<Outcome> {
  const { profile, addresses } = exported;
  try {
    for await (const { file, isKept } of folder.make(exported))
      yield { outcome: isKept ? 'kept' : 'made', profile, addresses, file };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.exitCode = 1;
    yield { outcome: 'not made', profile, addresses, error: `${error.message}${wayOut(error)}` };
  }
}

const describe = ({ outcome, profile, addresses, file, error }: Outcome): string =>
  error === undefined ? `${outcome} ${file}` : `${outcome}: ${profile} of ${addresses.join(', ')}: ${error}`;

/**
 * Returns a hint about the command option that solves a problem. The API's own message names a member of the request
 * instead.
 */
const wayOut = ({ code }: Problem): string =>
  code === 'asset_decisions_required'
    ? '; pass decisions with --statements: {"assetDecisions": {"*": {"mode": "exclude"}}} excludes all'
    : '';

function warnOfGaps(year: string, { indexStart, indexEnd }: Dataset): void {
  if (indexStart <= `${year}-01-01` && indexEnd >= `${year}-12-31`) return;
  const isOutside = indexStart > `${year}-12-31` || indexEnd < `${year}-01-01`;
  const message = `the index has ${indexStart} to ${indexEnd}, ${isOutside ? 'no day' : 'not every day'} of ${year}`;
  if (isOutside) throw new ConfigError(message);
  console.error(`hubledger: ${message}`);
}

/** Splits each argument at commas: `a,b c` gives three items. */
export const itemsOf = (words: readonly string[]) =>
  words.flatMap((word) => word.split(',').map((item) => item.trim()));

function exportRequests(addresses: readonly string[], options: Options, prefix: string): ExportRequest[] {
  const { year, profile, country } = options;
  const wallets = readAddresses(itemsOf(addresses), prefix, (message) => {
    throw new VariableError(`<address>: ${message}`);
  });
  if (!/^\d{4}$/.test(year)) throw new VariableError('--year must be a calendar year, YYYY');
  const profiles = itemsOf([profile]);
  for (const name of profiles) endpointOf(name);
  const statements = options.statements === undefined ? {} : readStatements(options.statements);
  return byFile(wallets, statements).flatMap((file) =>
    profiles.map((name) => ({ ...file, profile: name, year, country })),
  );
}

function readStatements(file: string): Readonly<Record<string, unknown>> {
  let given: unknown;
  try {
    given = parseJson(readFileSync(file, 'utf8'));
  } catch (error) {
    const place = error instanceof MemberFault ? `${error.path} ` : '';
    throw new VariableError(`--statements: ${place}${(error as Error).message}`);
  }
  return requireStatements(given);
}

export const examples = [
  'cosmos1… --year 2026 --profile koinly,form8949.pdf,summary --out files',
  'cosmos1… cosmos1… --year 2026 --profile hledger --out books --statements statements.json',
];

const HELP = `
Besides programs, a profile can be summary, events, positions or journal: the rows of that endpoint as CSV. summary.pdf is a paper.
With --country, tax-year.pdf is the paper of a tax year, and tax-year.income, tax-year.disposals and tax-year.holdings are its tables.
QuickBooks, Xero and DATEV limit the lines of a file, so a journal for them may be several files.
The statements file has members of a request's body: userTags, assetDecisions, openingLots, ownWallets, accounts, taxRate,
opening, group and fees. If ownWallets is "carry", all wallets share one file, or an archive for tax programs that need one file for each wallet.`;

export function declare(command: Command): void {
  command
    .argument('<address...>', 'wallets; each gets a file of its own')
    .requiredOption('--year <year>', 'calendar year in UTC')
    .requiredOption('--profile <names>', 'programs or reports, for example koinly,form8949.pdf,summary')
    .requiredOption('--out <folder>', 'target folder; skips files that are finished')
    .option('--country <code>', 'country of tax-year, for example DE')
    .option('--statements <file>', 'JSON file with tags, decisions and lots of the wallets')
    .option('--json', 'print one JSON line for each file, for programs')
    .addHelpText('after', HELP)
    .action(exportFiles);
}
