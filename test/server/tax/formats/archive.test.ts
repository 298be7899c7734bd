/** Archives: bytes that other programs read, made file by file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { unzipSync } from 'fflate';
import { archiveChunks } from '../../../../server/tax/formats/archive.js';

const TIME = '2026-04-14T12:34:56.789Z';

const made = (files: readonly { name: string; chunks: Iterable<string> }[], time = TIME) =>
  Buffer.concat([...archiveChunks(files, time)]);

const FILES = [
  { name: 'a.csv', chunks: ['one\r\n', 'zwei äöü\r\n'] },
  { name: 'b.csv', chunks: [] },
  { name: 'c.csv', chunks: ['x'.repeat(300_000)] },
];

test('an archive has its files in order, with their checksums', () => {
  const bytes = made(FILES);
  const read = Object.entries(unzipSync(bytes)).map(([name, content]) => [name, Buffer.from(content).toString()]);
  assert.deepEqual(
    read,
    FILES.map(({ name, chunks }) => [name, chunks.join('')]),
  );
  let at = bytes.indexOf('PK\x01\x02');
  for (const { name, chunks } of FILES) {
    assert.equal(bytes.readUInt32LE(at + 16), crc32(chunks.join('')), name);
    at = bytes.indexOf('PK\x01\x02', at + 1);
  }
  assert.equal(bytes.toString('latin1', bytes.length - 22, bytes.length - 18), 'PK\x05\x06');
});

test('equal files give equal bytes in every time zone, with the time in UTC', () => {
  const zone = process.env.TZ;
  try {
    const [first, ...others] = ['UTC', 'America/New_York', 'Asia/Kolkata'].map((name) => {
      process.env.TZ = name;
      return made(FILES);
    });
    assert.ok(others.every((bytes) => bytes.equals(first!)));
    const [time, day] = [first!.readUInt16LE(10), first!.readUInt16LE(12)];
    assert.deepEqual([time >> 11, (time >> 5) & 63, (time & 31) * 2], [12, 34, 56]);
    assert.deepEqual([1980 + (day >> 9), (day >> 5) & 15, day & 31], [2026, 4, 14]);
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
});

test('an archive is written while its files are made, so that a long file needs little memory', () => {
  let lines = 0;
  function* chunks() {
    for (; lines < 20_000; lines++) yield `${Math.sin(lines)},${Math.cos(lines)}\r\n`;
  }
  const archive = archiveChunks([{ name: 'a.csv', chunks: chunks() }], TIME);
  let bytes = 0;
  for (const chunk of archive) {
    bytes += chunk.length;
    if (bytes > 1000) break;
  }
  assert.ok(lines < 10_000, `${lines} lines before the first bytes`);
});
