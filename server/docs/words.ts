import type { CatalogFormat } from '../../schemas/types.generated.js';
import type { AnyEndpoint } from '../api/endpoint.js';
import { FORM_8949 } from '../tax/formats/profiles/form8949/form-answer.js';
import { IMPORTERS } from '../tax/formats/profiles/importers/index.js';
import { LEDGERS } from '../tax/formats/profiles/ledgers/ledger-answer.js';
import type { PARAMETERS, ParameterName } from '../tax/parameters/parameter-schemas.js';

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

export function formatsOf(routes: readonly AnyEndpoint[]): CatalogFormat[] {
  const paths = (chosen: readonly AnyEndpoint[]) => chosen.map(({ path }) => path);
  return [
    { format: 'json', profile: '', paths: paths(routes), description: 'Members as documented; exact decimals.' },
    {
      format: 'csv',
      profile: '',
      paths: paths(routes.filter(({ csv }) => csv)),
      description: 'The rows of the same response, RFC 4180: a header line, CRLF, UTF-8.',
    },
    ...Object.entries(IMPORTERS).map(([profile, { description }]) => ({
      ...{ format: 'csv', profile, description },
      paths: paths(routes.filter(({ parameters }) => parameters.includes('profile'))),
    })),
    ...[...LEDGERS, FORM_8949].map(({ profile, description }) => ({
      ...{ format: 'csv', profile, description },
      paths: paths(routes.filter(({ parameters }) => parameters.includes('journal_profile'))),
    })),
  ];
}
