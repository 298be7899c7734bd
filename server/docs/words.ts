/** Texts that /llms.txt and the API reference share. */
import type { AnyEndpoint } from '../api/endpoint.js';
import type { PARAMETERS, ParameterName } from '../tax/parameters/parameters.js';

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
