/** A stand-in for the server is told one answer and the path to send it at. It sends the bytes that the server sent. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export interface StandIn {
  readonly port: number;
  /** Path of the answer. */
  readonly path: string;
  /** Headers of the answer itself: its type, how long it may be kept, its ETag. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body compressed, once for all. */
  readonly gzip: Buffer;
}

/** The parameters of the process that is a stand-in. @param file with the body, not compressed */
export function standInParameters(
  file: string,
  { port, path, headers }: Omit<StandIn, 'body' | 'gzip'>,
): [string, string, string, string] {
  return [file, String(port), path, JSON.stringify(headers)];
}

/** Reads in the stand-in the parameters that it was started with. */
export function readStandIn(): StandIn {
  const [file, port, path, headers] = process.argv.slice(2) as ReturnType<typeof standInParameters>;
  const body = readFileSync(file);
  return { port: Number(port), path, headers: JSON.parse(headers), body, gzip: gzipSync(body) };
}
