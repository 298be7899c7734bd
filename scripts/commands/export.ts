/** `hubledger export`: export files of wallets, identical to the API's. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../../pipeline/config.js';
import { ConfigError, VariableError } from '../../pipeline/config-error.js';
import { MemberFault, parseJson } from '../../pipeline/json/exact-json.js';
import { terminalProgress } from '../../pipeline/progress.js';
import { generationDir, publishedGeneration, readManifest } from '../../pipeline/publish/generation.js';
import { isIndexSound } from '../../pipeline/publish/wallet-index-key.js';
import { loadReference } from '../../pipeline/reference.js';
import { otherVersions } from '../../pipeline/reports/versions.js';
import { type Dataset, openDataset } from '../../server/dataset/dataset.js';
import { readAddresses } from '../../server/parameters/addresses.js';
import { Problem } from '../../server/problem.js';
import { byFile, ExportFolder, endpointOf, requireStatements, type Wanted } from '../export/export-files.js';

interface Options {
  readonly year: string;
  readonly profile: string;
  readonly out: string;
  readonly statements?: string;
}

const STEP = 'files';

/** Makes the files one by one. A refused file does not stop the others. */
async function exportFiles(addresses: readonly string[], options: Options): Promise<void> {
  const config = readConfig();
  const reference = loadReference();
  const generation = publishedGeneration(config.dataDir);
  const wanted = wantedFiles(addresses, options, reference.chain.bech32_prefix);
  const { dataDir } = config;
  const others = otherVersions(readManifest(generationDir(dataDir, generation)), reference);
  if (others.length > 0)
    throw new ConfigError(`${generation} was made under ${others.join(' and ')}: run a night first`);
  // LMDB does not validate: another version's index gives wrong figures, and a damaged one crashes the process.
  if (!(await isIndexSound(dataDir, generation, reference))) {
    throw new ConfigError(
      `the wallet index of ${generation} is missing, damaged or another version's: run a night first`,
    );
  }
  const dataset = openDataset(dataDir, generation, reference);
  try {
    warnOfGaps(options.year, dataset);
    const folder = new ExportFolder(options.out, dataset, config.now().toISOString().slice(0, 10));
    const progress = process.stdout.isTTY ? terminalProgress((text) => process.stdout.write(text)) : undefined;
    const began = performance.now();
    progress?.begin(STEP);
    for (const [i, one] of wanted.entries()) {
      const told = await outcome(folder, one);
      if (progress) progress.say(told);
      else console.log(told);
      progress?.update(STEP, i + 1, wanted.length);
    }
    progress?.end(STEP, performance.now() - began);
  } finally {
    await dataset.close();
  }
}

/** Makes one file; returns its result as a line. */
async function outcome(folder: ExportFolder, wanted: Wanted): Promise<string> {
  try {
    const { file, isKept } = await folder.make(wanted);
    return `${isKept ? 'kept' : 'made'} ${file}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    process.exitCode = 1;
    return `not made: ${wanted.profile} of ${wanted.addresses.join(', ')}: ${error.message}${wayOut(error)}`;
  }
}

/** Returns the command-line option for a problem that asks for a request member. */
const wayOut = ({ code }: Problem): string =>
  code === 'asset_decisions_required'
    ? '; pass decisions with --statements: {"assetDecisions": {"*": {"mode": "exclude"}}} excludes all'
    : '';

/** Warns if the index covers only part of the year. */
function warnOfGaps(year: string, { indexStart, indexEnd }: Dataset): void {
  if (indexStart <= `${year}-01-01` && indexEnd >= `${year}-12-31`) return;
  const isOutside = indexStart > `${year}-12-31` || indexEnd < `${year}-01-01`;
  const message = `the index has ${indexStart} to ${indexEnd}, ${isOutside ? 'no day' : 'not every day'} of ${year}`;
  if (isOutside) throw new ConfigError(message);
  console.error(`hubledger: ${message}`);
}

/** Accepts several words, each with items separated by commas. */
const itemsOf = (words: readonly string[]) => words.flatMap((word) => word.split(',').map((item) => item.trim()));

/** @throws VariableError for an invalid address, year, profile or statements */
function wantedFiles(addresses: readonly string[], options: Options, prefix: string): Wanted[] {
  const { year, profile } = options;
  const wallets = readAddresses(itemsOf(addresses), prefix, (message) => {
    throw new VariableError(message);
  });
  if (!/^\d{4}$/.test(year)) throw new VariableError('--year must be a calendar year, YYYY');
  const profiles = itemsOf([profile]);
  for (const name of profiles) endpointOf(name);
  const statements = options.statements === undefined ? {} : readStatements(options.statements);
  return byFile(wallets, statements).flatMap((file) => profiles.map((name) => ({ ...file, profile: name, year })));
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
  'cosmos1… --year 2026 --profile koinly,form8949.pdf --out files',
  'cosmos1… cosmos1… --year 2026 --profile hledger --out books --statements statements.json',
];

export function declare(command: Command): void {
  command
    .argument('<address...>', 'wallets, one file each')
    .requiredOption('--year <year>', 'calendar year in UTC')
    .requiredOption('--profile <names>', 'programs, separated by commas: koinly, hledger, form8949, form8949.pdf, …')
    .requiredOption('--out <folder>', 'target folder; files already made from the same dataset are kept')
    .option(
      '--statements <file>',
      'JSON with userTags, assetDecisions, openingLots, ownWallets, accounts, as in the body of a request; ownWallets "carry" puts all ' +
        'wallets into one file',
    )
    .action(exportFiles);
}
