import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK = 1 << 20;

export function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'wx');
  try {
    let text = '';
    for (const line of lines) {
      text += `${line}\n`;
      if (text.length < CHUNK) continue;
      writeSync(file, text);
      text = '';
    }
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** latin1 is faster, for texts that are only copied: written as latin1 again, they have the same bytes. */
export type LineEncoding = 'utf8' | 'latin1';

export function* readLines(path: string, encoding: LineEncoding = 'utf8'): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(CHUNK);
    const decoder = new TextDecoder();
    const decode = (part: Buffer) =>
      encoding === 'utf8' ? decoder.decode(part, { stream: true }) : part.toString('latin1');
    let rest = '';
    for (;;) {
      const size = readSync(file, bytes);
      if (size === 0) break;
      const lines = (rest + decode(bytes.subarray(0, size))).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    closeSync(file);
  }
}
