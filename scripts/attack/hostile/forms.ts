/** Bodies of an odd form: as deep, wide and long as they may be, and more. */
import { BODY_CHARACTERS, EVENTS, fill, type HostileRequest } from './request.js';

const VALUES_MAX = 39_990;

/** Members beside the address, by name. */
const MEMBERS: Readonly<Record<string, string>> = {
  'many members': fill((i) => `"${i.toString(36)}":1`, VALUES_MAX),
  'many numbered members': fill((i) => `"${i * 2 ** 24}":1`, VALUES_MAX),
  'many numbers': `"a":[${fill((i) => `${i}.123456789012`, VALUES_MAX)}]`,
  'equal members': fill(() => '"a":1', VALUES_MAX),
  'deep values': fill((i) => `"${i}":${'{"a":'.repeat(13)}1${'}'.repeat(13)}`, 2800),
  'too deep a value': `"a":${'['.repeat(500_000)}${']'.repeat(500_000)}`,
  'too many values': `"a":[${'1,'.repeat(500_000)}1]`,
  'long name': `"${'n'.repeat(BODY_CHARACTERS)}":1`,
  'long text': `"a":"${'x'.repeat(BODY_CHARACTERS)}"`,
  'text of escapes': `"a":"${'\\u0041'.repeat(BODY_CHARACTERS / 6)}"`,
  'text of quotes': `"a":"${'\\"'.repeat(BODY_CHARACTERS / 2)}"`,
  'text of three bytes a character': `"a":"${'丁'.repeat(BODY_CHARACTERS / 3)}"`,
  'text of four bytes a character': `"a":"${'🂡'.repeat(BODY_CHARACTERS / 4)}"`,
  'long number': `"a":${'9'.repeat(BODY_CHARACTERS)}`,
  'long fraction': `"a":0.${'9'.repeat(BODY_CHARACTERS)}`,
  'ten long numbers': `"a":[${Array(10).fill('7'.repeat(100_000)).join(',')}]`,
  'huge exponents': `"a":[${fill(() => '1e99999', VALUES_MAX)}]`,
  'long exponents': `"a":[${fill(() => `1e-${'9'.repeat(20)}`, VALUES_MAX)}]`,
  blanks: `"a":${' '.repeat(BODY_CHARACTERS)}1`,
  'no end': `"a":"${'x'.repeat(BODY_CHARACTERS)}`,
};

/** @param address anybody's */
export function oddBodies(address: string): HostileRequest[] {
  const post = (name: string, body: string | Uint8Array): HostileRequest => ({
    name,
    method: 'POST',
    path: EVENTS,
    body,
  });
  return [
    ...Object.entries(MEMBERS).map(([name, members]) => post(name, `{"address":"${address}",${members}}`)),
    post('bytes that are no UTF-8', Buffer.from(`{"a":"${'x'.repeat(BODY_CHARACTERS)}\xff"}`, 'latin1')),
    post('an address of a megabyte', `{"address":"${'a,'.repeat(BODY_CHARACTERS / 2)}"}`),
    post('many addresses', `{"address":[${fill(() => '"a"', VALUES_MAX)}]}`),
  ];
}
