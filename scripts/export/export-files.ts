/** Files for other programs, made from the published dataset without a server: by the endpoints themselves, so that they have the same bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError, VariableError } from '../../pipeline/config-error.js';
import { fileSha256, listFolder, makeFolder, replaceFile, sync } from '../../pipeline/disk/atomic-files.js';
import { isRecord } from '../../pipeline/json/exact-json.js';
import type { Dataset } from '../../server/dataset/dataset.js';
import { withResolvedDecisions } from '../../server/decisions/resolve-decisions.js';
import type { Endpoint } from '../../server/endpoint.js';
import { events } from '../../server/endpoints/events.js';
import { journal } from '../../server/endpoints/journal.js';
import { memberNames } from '../../server/parameters/parameter-schemas.js';
import { canonical, PARAMETERS, parametersOf, readParameters, STATEMENTS } from '../../server/parameters/parameters.js';
import { bodyOf } from '../../server/routing/answer.js';
import type { Queries } from '../../server/store/store.js';

/** One file to be made. */
export interface Wanted {
  readonly addresses: readonly string[];
  /** Value of the parameter `profile`, and the format where it is not the profile's usual one: `form8949.pdf`. */
  readonly profile: string;
  readonly year: string;
  /** Further members of a body: tags, asset decisions, opening lots, whether lots travel between the wallets, a map of accounts. */
  readonly statements: Readonly<Record<string, unknown>>;
}

/** Endpoints with a parameter `profile`, and the files that it offers. */
const ENDPOINTS: readonly (readonly [Endpoint, readonly string[]])[] = [
  [events, PARAMETERS.profile.schema.enum!],
  [journal, [...PARAMETERS.journal_profile.schema.enum!, 'form8949.pdf']],
];

/** @throws VariableError for a profile that no endpoint offers */
export function endpointOf(profile: string): Endpoint {
  const found = ENDPOINTS.find(([, profiles]) => profiles.includes(profile));
  if (found) return found[0];
  const known = ENDPOINTS.flatMap(([, profiles]) => profiles).join(', ');
  throw new VariableError(`--profile: unknown profile ${profile}; known: ${known}`);
}

/** Statements of a caller that files rest on; wallets, days and profiles are said on the command line. */
const MEMBERS = [...STATEMENTS, 'accounts'] as const;

type Given = Readonly<Record<string, unknown>>;

const statedAs = (name: (typeof MEMBERS)[number], given: Given) =>
  memberNames(PARAMETERS[name]).find((member) => Object.hasOwn(given, member));

/** @throws VariableError for a member that nothing reads, such as a misspelled one */
export function requireStatements(given: unknown): Given {
  if (!isRecord(given)) throw new VariableError('--statements: must be a JSON object');
  const known = new Set(MEMBERS.flatMap((name) => memberNames(PARAMETERS[name])));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return given;
  const names = MEMBERS.map((name) => PARAMETERS[name].member.name).join(', ');
  throw new VariableError(`--statements: unknown member ${unknown.join(', ')}; known: ${names}`);
}

/**
 * The wallets of each file with what is stated of them: a wallet a file, or all in one where their lots travel between them.
 * @throws VariableError for an opening lot without a wallet
 */
export function byFile(wallets: readonly string[], given: Given): Pick<Wanted, 'addresses' | 'statements'>[] {
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

/** The store of somebody who is not signed in: nothing is asked of it. */
const NO_STORE: Queries = {
  query: () => Promise.reject(new Error('an export has no account')),
};

/** A file as it was made: the text that tells its request and dataset, its name and its bytes. */
interface Made {
  readonly key: string;
  readonly file: string;
  readonly sha256: string;
}

const LIST = '.hubledger-export.json';
const UNFINISHED = '.unfinished';

/** Age from which an unfinished file counts as left behind: one that is being made was written a moment ago. */
const ABANDONED_MS = 3_600_000;

/** Reads what was made before; a list that cannot be read is none, and the files are made again. */
function readList(path: string): Record<string, Made> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** Removes what exports that were killed left behind. Another one may be making files in the folder right now. */
function removeAbandoned(folder: string): void {
  for (const name of listFolder(folder).filter((one) => one.endsWith(UNFINISHED))) {
    const written = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (written < Date.now() - ABANDONED_MS) rmSync(join(folder, name), { force: true });
  }
}

/** A folder of exported files, which remembers what each was made of. */
export class ExportFolder {
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
   * Makes a file, unless it is there already, made of the same dataset and the same statements. It gets its name when it is whole.
   * @throws Problem as the API would refuse it
   */
  async make(wanted: Wanted): Promise<{ file: string; isKept: boolean }> {
    const { addresses, profile, year, statements } = wanted;
    const endpoint = endpointOf(profile);
    const [name, format] = profile.split('.');
    const range = { start: `${year}-01-01`, end: `${year}-12-31` };
    const body = { ...statements, address: addresses, profile: name, ...range, ...(format && { format }) };
    const { reference, tag } = this.dataset;
    const networks = { names: [], get: () => undefined };
    const asked = readParameters(parametersOf(endpoint), { body }, { reference, networks, today: this.today });
    const key = createHash('sha256')
      .update(`${tag}\n${endpoint.path}\n${canonical(asked)}`)
      .digest('hex');
    const entry = `${addresses.join()} ${profile} ${year}`;
    const known = this.made[entry];
    if (known?.key === key && (await this.isWhole(known))) return { file: known.file, isKept: true };
    const sources = { dataset: this.dataset, store: NO_STORE, account: undefined };
    const parameters = await withResolvedDecisions(asked, endpoint.decisions!, sources);
    const now = new Date(`${this.today}T00:00:00Z`);
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
    const sha256 = await this.write(file, 'bytes' in answer ? [answer.bytes] : answer.texts);
    this.made[entry] = { key, file, sha256 };
    this.remember();
    return { file, isKept: false };
  }

  /** Tells whether a file is there as it was made: neither edited nor written over by another export. */
  private async isWhole({ file, sha256 }: Made): Promise<boolean> {
    const path = join(this.folder, file);
    return existsSync(path) && (await fileSha256(path)) === sha256;
  }

  /** Writes down what was made, also by another export beside this one. */
  private remember(): void {
    const list = join(this.folder, LIST);
    replaceFile(list, `${JSON.stringify({ ...readList(list), ...this.made }, null, 2)}\n`);
  }

  /** Each export writes to a name of its own, so that two may make the same file at once. @returns the hash of its bytes */
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
