/** The files that the API offers of the wallets and days asked for, as its catalog lists them. */
import { signal } from '@preact/signals';
import type { Catalog, CatalogFormat } from '../../../schemas/types.generated.js';
import { get, getFor, postFor } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { earlier } from '../values/dates.js';
import type { Days } from './asked.js';
import type { Report } from './report.js';
import { ledgerBody } from './statements.js';

export interface OfferedFile {
  readonly path: string;
  readonly format: string;
  /** Importer's layout; '' is the API's own. */
  readonly profile: string;
  readonly description: string;
}

/** Paths whose answers are about wallets and days; the API takes their parameters as a body. */
const OF_WALLETS: readonly string[] = [PATHS.events, PATHS.journal, PATHS.positions, PATHS.summary];

/** Layout of the tax form, which is there as PDF, too. */
const FORM = 'form8949';

export const offered = signal<readonly OfferedFile[]>([]);

/** Asks the catalog, once. */
export async function findOffered(): Promise<void> {
  if (offered.peek().length > 0) return;
  const { export_formats } = await get<Catalog>(PATHS.catalog);
  const files = export_formats.filter(({ format }) => format !== 'json').flatMap(filesOf);
  // The form comes first: it is what most people of its group look for.
  offered.value = [
    ...files.filter(({ profile }) => profile === FORM),
    ...files.filter(({ profile }) => profile !== FORM),
  ];
}

const filesOf = ({ format, profile, paths, description }: CatalogFormat): OfferedFile[] =>
  OF_WALLETS.filter((path) => paths.includes(path)).flatMap((path) => {
    const file = { path, format, profile, description };
    return profile === FORM ? [file, { ...file, format: 'pdf' }] : [file];
  });

/** Downloads a file with all that its owner has stated. @returns its name */
export async function download(file: OfferedFile, { asked, stated, summary }: Report): Promise<string> {
  const body = {
    ...ledgerBody(asked, stated),
    ...(file.path === PATHS.positions && { date: earlier(asked.end, summary.coverage.index_end) }),
    format: file.format,
    ...(file.profile && { profile: file.profile }),
  };
  return save(await postFor(file.path, body));
}

/** Downloads the statement of a validator. @returns the file's name */
export const downloadStatement = async (operator: string, { start, end }: Days): Promise<string> =>
  save(await getFor(PATHS.statement(operator, start, end)));

/** Hands an answer over to the browser as a file, by the name that the API gave it. */
async function save(response: Response): Promise<string> {
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'hubledger.csv';
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // some browsers read it after the click
  return name;
}
