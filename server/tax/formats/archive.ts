/** Writes a ZIP archive of text files while the texts are made. Equal files give equal bytes. */
import { Zip, ZipDeflate } from 'fflate';
import type { ArchivedFile, ArchiveType } from '../../http/answer.js';

export const ARCHIVE_TYPE: ArchiveType = 'application/zip';

/** @param time of the files, as an ISO timestamp in UTC */
export function* archiveChunks(files: Iterable<ArchivedFile>, time: string): Generator<Uint8Array, void, undefined> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for (const { name, chunks } of files) {
    const file = Object.assign(new ZipDeflate(name), { mtime: localTime(time) });
    zip.add(file);
    for (const chunk of chunks) {
      file.push(Buffer.from(chunk));
      yield* ready.splice(0);
    }
    file.push(Buffer.alloc(0), true);
  }
  zip.end();
  yield* ready;
}

/** Returns a local time with the digits of a UTC time, because fflate writes local times and ZIP has no time zones. */
const localTime = (time: string): Date => new Date(time.replace(/(\.\d+)?Z$/, ''));
