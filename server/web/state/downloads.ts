/** Files that the API offers for the report's wallets and days, from its catalog. */
import { signal } from '@preact/signals';
import type { Catalog, CatalogFormat } from '../../../schemas/types.generated.js';
import { get, request } from '../api/client.js';
import { PATHS } from '../api/paths.js';
import { earlier } from '../values/dates.js';
import type { Report } from './report.js';
import { ledgerBody } from './statements.js';

export interface OfferedFile {
  readonly path: string;
  readonly format: string;
  /** Importer profile; '' is the API's own format. */
  readonly profile: string;
  readonly description: string;
}

/** Paths that take wallets and days, as a request body. */
const OF_WALLETS: readonly string[] = [PATHS.events, PATHS.journal, PATHS.positions, PATHS.summary];

const FORM = 'form8949';

export const offered = signal<readonly OfferedFile[]>([]);

export async function findOffered(): Promise<void> {
  if (offered.peek().length > 0) return;
  const { export_formats } = await get<Catalog>(PATHS.catalog);
  const files = export_formats.filter(({ format }) => format !== 'json').flatMap(filesOf);
  // The form comes first: most users look for it.
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

/** Builds the request for a file. It includes all statements. */
export function bodyOf(file: OfferedFile, { asked, stated, summary }: Report): object {
  return {
    ...ledgerBody(asked, stated),
    ...(file.path === PATHS.positions && { date: earlier(asked.end, summary.coverage.index_end) }),
    format: file.format,
    ...(file.profile && { profile: file.profile }),
  };
}

/** Downloads a file and saves it under the name from its headers. @returns the name */
export async function saveFile(path: string, body?: object): Promise<string> {
  const response = await request(path, body);
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'hubledger.csv';
  const url = URL.createObjectURL(await response.blob());
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // Some browsers read the URL only after the click.
  return name;
}
