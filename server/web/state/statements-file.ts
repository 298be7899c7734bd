/**
 * Converts the user's answers to a file or a link. The link contains them in the URL's fragment, which browsers never
 * send to a server.
 */
import { inflate } from '../values/inflate.js';
import { readStatements, type Statements, statementsAbout } from './statements.js';

const FORMAT = 'hubledger-answers';

/** Returns the text of a file. Leaves out the members of a country if none was chosen. */
function textOf(addresses: readonly string[], spaces?: number): string {
  const { complete, country, currency, ...others } = statementsAbout(addresses);
  const ofCountry = country === '' ? {} : { complete, country, currency };
  return JSON.stringify({ format: FORMAT, ...others, ...ofCountry }, null, spaces);
}

/** @returns undefined if the text contains no answers */
export function statementsIn(text: string): Statements | undefined {
  try {
    const parsed = JSON.parse(text);
    return parsed?.format === FORMAT ? readStatements(parsed) : undefined;
  } catch {
    return undefined;
  }
}

export const statementsFile = (addresses: readonly string[]): Blob =>
  new Blob([textOf(addresses, 2)], { type: 'application/json' });

/** Compresses the answers about these wallets to base64url. */
export async function packedStatements(addresses: readonly string[]): Promise<string> {
  const packed = new Blob([textOf(addresses)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = await new Response(packed).arrayBuffer();
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Maximum size of the statements in a link, in bytes after decompression. A request may have at most 1 MiB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Why the statements in a link cannot be used. A damaged link may lack a part. */
export type LinkFault = 'damaged' | 'too long';

export async function unpackedStatements(packed: string): Promise<Statements | LinkFault> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const text = await inflate(
      Uint8Array.from(binary, (one) => one.charCodeAt(0)),
      MAX_BYTES,
    );
    return text === undefined ? 'too long' : (statementsIn(text) ?? 'damaged');
  } catch {
    return 'damaged';
  }
}
