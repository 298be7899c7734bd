/** What a stand-in for the server is told: which answer to send, and where. It sends the bytes that the server sent. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export interface StandIn {
  readonly port: number;
  /** Where the answer is. */
  readonly path: string;
  /** Of the answer itself: what it is, how long it may be kept, its ETag. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The same, compressed once for all. */
  readonly gzip: Buffer;
}

/** Parameters of the process. @param file with the body, not compressed */
export function standInParameters(
  file: string,
  { port, path, headers }: Omit<StandIn, 'body' | 'gzip'>,
): [string, string, string, string] {
  return [file, String(port), path, JSON.stringify(headers)];
}

/** In the child: the parameters as they were meant. */
export function readStandIn(): StandIn {
  const [file, port, path, headers] = process.argv.slice(2) as ReturnType<typeof standInParameters>;
  const body = readFileSync(file);
  return { port: Number(port), path, headers: JSON.parse(headers), body, gzip: gzipSync(body) };
}
