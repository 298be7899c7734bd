/** Files for other programs, made from the published dataset without a server: by the endpoints themselves, so that they have the same bytes. */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '../../pipeline/config-error.js';
import { makeFolder, replaceFile, sync } from '../../pipeline/disk/atomic-files.js';
import type { Dataset } from '../../server/dataset/dataset.js';
import { withResolvedDecisions } from '../../server/decisions/resolve-decisions.js';
import type { Endpoint } from '../../server/endpoint.js';
import { events } from '../../server/endpoints/events.js';
import { journal } from '../../server/endpoints/journal.js';
import { canonical, PARAMETERS, parametersOf, readParameters } from '../../server/parameters/parameters.js';
import { bodyOf } from '../../server/routing/answer.js';
import type { Queries } from '../../server/store/store.js';

/** One file to be made. */
export interface Wanted {
  readonly address: string;
  /** Value of the parameter `profile`, and the format where it is not the profile's usual one: `form8949.pdf`. */
  readonly profile: string;
  readonly year: string;
  /** Further members of a body: tags, asset decisions, opening lots, a map of accounts. */
  readonly statements: Readonly<Record<string, unknown>>;
}

/** Endpoints with a parameter `profile`, and what it offers. */
const ENDPOINTS: readonly (readonly [Endpoint, readonly string[]])[] = [
  [events, PARAMETERS.profile.schema.enum!],
  [journal, PARAMETERS.journal_profile.schema.enum!],
];

/** @throws ConfigError for a profile that no endpoint offers */
export function endpointOf(profile: string): Endpoint {
  const [name] = profile.split('.');
  const found = ENDPOINTS.find(([, profiles]) => profiles.includes(name!));
  if (found) return found[0];
  const known = ENDPOINTS.flatMap(([, profiles]) => profiles).join(', ');
  throw new ConfigError(`--profile: there is no ${profile}; there are ${known}`);
}

/** The store of somebody who is not signed in: nothing is asked of it. */
const NO_STORE: Queries = {
  query: () => Promise.reject(new Error('an export has no account')),
};

/** A file as it was made: the text that tells its request and dataset, and its name. */
interface Made {
  readonly key: string;
  readonly file: string;
}

const LIST = '.hubledger-export.json';

/** Reads what was made before; a list that cannot be read is none, and the files are made again. */
function readList(path: string): Record<string, Made> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
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
    const { address, profile, year, statements } = wanted;
    const endpoint = endpointOf(profile);
    const [name, format] = profile.split('.');
    const range = { start: `${year}-01-01`, end: `${year}-12-31` };
    const body = { ...statements, address, profile: name, ...range, ...(format && { format }) };
    const { reference, tag } = this.dataset;
    const networks = { names: [], get: () => undefined };
    const asked = readParameters(parametersOf(endpoint), { body }, { reference, networks, today: this.today });
    const key = createHash('sha256')
      .update(`${tag}\n${endpoint.path}\n${canonical(asked)}`)
      .digest('hex');
    const known = this.made[`${address} ${profile} ${year}`];
    if (known?.key === key && existsSync(join(this.folder, known.file))) return { file: known.file, isKept: true };
    const sources = { dataset: this.dataset, store: NO_STORE, account: undefined };
    const parameters = await withResolvedDecisions(asked, endpoint.decisions!, sources);
    const now = new Date(`${this.today}T00:00:00Z`);
    const request = { parameters, dataset: this.dataset, today: this.today, now, widget: undefined, isEnding: false };
    endpoint.admit?.(request);
    const answer = await bodyOf(await endpoint.handle(request));
    const file = answer.fileName!;
    await this.write(file, 'bytes' in answer ? [answer.bytes] : answer.source);
    this.made[`${address} ${profile} ${year}`] = { key, file };
    replaceFile(join(this.folder, LIST), `${JSON.stringify(this.made, null, 2)}\n`);
    return { file, isKept: false };
  }

  private async write(file: string, content: Iterable<Buffer> | AsyncIterable<string | Buffer>): Promise<void> {
    const path = join(this.folder, file);
    const unfinished = `${path}.unfinished`;
    try {
      await pipeline(Readable.from(content, { objectMode: false }), createWriteStream(unfinished));
      sync(unfinished);
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}
