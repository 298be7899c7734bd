/** Form errors, with the labels of the form's fields. */
import type { Problem } from '../../../schemas/types.generated.js';

const FIELDS: Readonly<Record<string, string>> = {
  url: 'The URL',
  events: 'The list of events',
  name: 'The name',
  scopes: 'The list of permissions',
  expires_at: 'The end',
  contract_address: 'The address',
  note: 'The note',
};

/** Returns a sentence for each error; undefined if the problem lists none. */
export function explain({ errors }: Problem): string | undefined {
  if (!errors || errors.length === 0) return undefined;
  return errors.map(({ path, message }) => `${FIELDS[path.split('/')[0]!] ?? path} ${message}.`).join(' ');
}
