import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

export interface StandIn {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly gzip: Buffer;
}

/**
 * Returns the arguments for a server process that sends a fixed response. @param file contains the uncompressed body
 */
export function standInParameters(
  file: string,
  { port, path, headers }: Omit<StandIn, 'body' | 'gzip'>,
): [string, string, string, string] {
  return [file, String(port), path, JSON.stringify(headers)];
}

export function readStandIn(): StandIn {
  const [file, port, path, headers] = process.argv.slice(2) as ReturnType<typeof standInParameters>;
  const body = readFileSync(file);
  return { port: Number(port), path, headers: JSON.parse(headers), body, gzip: gzipSync(body) };
}
