/**
 * Converts the user's answers to a file or a link. The link contains them in the URL's fragment, which browsers never
 * send to a server.
 */
import { readStatements, type Statements, statementsAbout } from './statements.js';

const FORMAT = 'hubledger-answers';

const textOf = (addresses: readonly string[], spaces?: number): string =>
  JSON.stringify({ format: FORMAT, ...statementsAbout(addresses) }, null, spaces);

/** @returns undefined if the text contains no answers */
export function answersIn(text: string): Statements | undefined {
  try {
    const parsed = JSON.parse(text);
    return parsed?.format === FORMAT ? readStatements(parsed) : undefined;
  } catch {
    return undefined;
  }
}

export const answersFile = (addresses: readonly string[]): Blob =>
  new Blob([textOf(addresses, 2)], { type: 'application/json' });

/** Compresses the answers about these wallets to base64url. */
export async function packedAnswers(addresses: readonly string[]): Promise<string> {
  const bytes = await through(new Blob([textOf(addresses)]), new CompressionStream('deflate-raw')).arrayBuffer();
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @returns undefined if the text contains no answers, for example because a part of the link is missing */
export async function unpackedAnswers(packed: string): Promise<Statements | undefined> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0));
    return answersIn(await through(new Blob([bytes]), new DecompressionStream('deflate-raw')).text());
  } catch {
    return undefined;
  }
}

const through = (blob: Blob, stream: ReadableWritablePair<Uint8Array<ArrayBuffer>, BufferSource>): Response =>
  new Response(blob.stream().pipeThrough(stream));
