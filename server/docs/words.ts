import type { CatalogFormat } from '../../schemas/types.generated.js';
import type { AnyEndpoint } from '../api/endpoint.js';
import { FORM_8949 } from '../tax/formats/profiles/form8949/form-answer.js';
import type { Importer } from '../tax/formats/profiles/importers/importer.js';
import { IMPORTERS } from '../tax/formats/profiles/importers/index.js';
import { LEDGERS } from '../tax/formats/profiles/ledgers/ledger-answer.js';
import type { PARAMETERS, ParameterName } from '../tax/parameters/parameter-schemas.js';
import { SPLIT_PROFILES } from '../tax/parameters/parameters.js';

const NEEDS: Readonly<Record<string, string>> = { session: 'a session', account: 'a session or a key' };

export function conditionsOf({ caller, retirement }: AnyEndpoint): string[] {
  const { sunsetOn, successor } = retirement ?? {};
  return [
    ...(retirement ? [`Deprecated: answered until ${sunsetOn}${successor ? `; use ${successor}` : ''}.`] : []),
    ...(caller ? [`Needs ${NEEDS[caller] ?? `a session, or a key with the scope ${caller}`}.`] : []),
  ];
}

export const valuesOf = ({ schema }: (typeof PARAMETERS)[ParameterName]): string[] => [
  ...(schema.enum ? [`one of ${schema.enum.join(', ')}`] : []),
  ...(schema.default === undefined ? [] : [`default ${schema.default}`]),
];

const MARK = 'The file begins with a byte order mark, for Excel.';

const NO_MARK =
  'The file has no byte order mark, because no public source shows that the program reads one: Excel imports it as UTF-8 under Data.';

const ADD_RECEIVERS =
  'Also add every account of yours that received coins from this wallet. Otherwise the program counts these sends as sold.';

const NO_PROGRAM = { how_to_import: '', counts_unmatched_sends_as_sold: false, archive_of: '' } as const;

export function formatsOf(routes: readonly AnyEndpoint[]): CatalogFormat[] {
  const paths = (chosen: readonly AnyEndpoint[]) => chosen.map(({ path }) => path);
  return [
    {
      format: 'json',
      profile: '',
      paths: paths(routes),
      description: 'Members as documented; exact decimals.',
      ...NO_PROGRAM,
    },
    {
      format: 'csv',
      profile: '',
      paths: paths(routes.filter(({ csv }) => csv)),
      description: 'The rows of the same response, RFC 4180: a header line, CRLF, UTF-8.',
      ...NO_PROGRAM,
    },
    {
      format: 'pdf',
      profile: '',
      paths: paths(routes.filter(({ parameters }) => parameters.includes('format_with_pdf'))),
      description: 'Pages for printing.',
      ...NO_PROGRAM,
    },
    ...Object.entries(IMPORTERS).map(([profile, importer]: [string, Importer]) => ({
      ...{ format: 'csv', profile, description: `${importer.description} ${importer.readsMark ? MARK : NO_MARK}` },
      how_to_import: importer.countsUnmatchedSendsAsSold ? `${importer.howTo} ${ADD_RECEIVERS}` : importer.howTo,
      counts_unmatched_sends_as_sold: importer.countsUnmatchedSendsAsSold,
      archive_of: importer.joint === undefined ? ('wallets' as const) : ('' as const),
      paths: paths(routes.filter(({ parameters }) => parameters.includes('profile'))),
    })),
    ...[...LEDGERS, FORM_8949].map(({ profile, description, howTo }) => ({
      ...{ format: 'csv', profile, description, ...NO_PROGRAM, how_to_import: howTo },
      archive_of: SPLIT_PROFILES.includes(profile) ? ('parts' as const) : ('' as const),
      paths: paths(routes.filter(({ parameters }) => parameters.includes('journal_profile'))),
    })),
  ];
}

/**
 * Describes a tax program's files of several wallets, its words for tags and kinds of rows, and the words that its
 * documentation does not confirm.
 */
export function importerWords(profile: string): string {
  const { words, unconfirmed = [], joint }: Importer = IMPORTERS[profile as keyof typeof IMPORTERS];
  const shown = (word: string) => (word === '' ? '–' : `*${word}*`);
  const kinds = Object.entries(words).filter(([kind]) => !['own_key', 'excluded'].includes(kind));
  const named = kinds.flatMap(([kind, word]) =>
    word === null ? [] : `${kind} ${[word].flat().map(shown).join(' / ')}`,
  );
  const omitted = kinds.filter(([, word]) => word === null).map(([kind]) => kind);
  const unknown = unconfirmed.map(shown).join(', ');
  return [
    joint === undefined ? 'Several wallets: an archive with one file for each.' : `Several wallets: one file. ${joint}`,
    `Words: ${named.join('; ')}.`,
    ...(omitted.length > 0 ? [`Left out: ${omitted.join(', ')}.`] : []),
    ...(unknown === '' ? [] : [`Not confirmed by its documentation: ${unknown}. Check such rows after the import.`]),
  ].join(' ');
}
