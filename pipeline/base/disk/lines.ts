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

export function* readLines(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(CHUNK);
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const size = readSync(file, bytes);
      if (size === 0) break;
      const lines = (rest + decoder.decode(bytes.subarray(0, size), { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    closeSync(file);
  }
}
