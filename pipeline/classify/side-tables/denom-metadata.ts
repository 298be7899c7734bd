/** x/tokenfactory: what a token's admin says it is. The event carries the bank's Metadata in protobuf's text form. */
import type { ScopedEvent } from '../classifier.js';

export const METADATA_EVENT = 'set_denom_metadata';

export interface ClaimedIdentity {
  readonly denom: string;
  readonly symbol: string;
  readonly name: string;
}

/** A field of that text with its quoted value; quotes inside a value are escaped, so that a value cannot pass for a field. */
const FIELD = /([a-z_]+):"((?:[^"\\]|\\.)*)"/g;

/** The identity that an event claims for its token, or undefined where it names no denom. */
export function claimedIdentity(event: ScopedEvent): ClaimedIdentity | undefined {
  const denom = event.get('denom');
  if (!denom) return undefined;
  const claimed = { denom, symbol: '', name: '' };
  for (const [, field, value] of (event.get('denom_metadata') ?? '').matchAll(FIELD)) {
    if (field === 'symbol' || field === 'name') claimed[field] = unescaped(value!);
  }
  return claimed;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Undoes the escapes: \n \r \t \" \\ and bytes beyond ASCII as three octal digits. */
function unescaped(value: string): string {
  return value.replace(/(?:\\[0-7]{3})+|\\./gs, (escaped) => {
    const octets = escaped.slice(1).split('\\');
    if (octets[0]!.length === 3) return Buffer.from(octets.map((octet) => Number.parseInt(octet, 8))).toString();
    return ESCAPES[escaped[1]!] ?? escaped[1]!;
  });
}
