/**
 * Temporary files for long bodies. A file has no name in the file system, so it disappears when it is closed. Its one
 * owner is the object `Spool`: threads and streams write and read it, but only `close` closes it.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { LIMITS } from '../http/limits.js';
import { Problem } from '../http/problem.js';

const { onDisk, onDiskOfAddress } = LIMITS.answers;
const RETRY_AFTER_SECONDS = 10;

/** A long body could not be written to the temporary folder. */
export class SpoolError extends Error {}

export class Spools {
  private readonly bytes = new Map<string, number>();
  private total = 0;

  constructor(
    private readonly log: Logger,
    private readonly bounds = { all: onDisk.max, ofAddress: onDiskOfAddress.max },
  ) {}

  /** @param address of the client @throws Problem unavailable if too many bytes wait for readers, or the disk is full */
  async open(address: string): Promise<Spool> {
    const { all, ofAddress } = this.bounds;
    const used = this.bytes.get(address) ?? 0;
    const bytesMax = Math.min(ofAddress - used, all - this.total);
    if (bytesMax <= 0) throw tooManyBytes();
    const name = join(tmpdir(), `hubledger-${randomUUID()}`);
    try {
      const file = await open(name, 'wx+', 0o600);
      await unlink(name);
      return new Spool(file, bytesMax, (change) => this.count(address, change));
    } catch (error) {
      throw this.problemOf(spoolError(error));
    }
  }

  private count(address: string, change: number): void {
    this.total += change;
    const used = (this.bytes.get(address) ?? 0) + change;
    if (used > 0) this.bytes.set(address, used);
    else this.bytes.delete(address);
  }

  /** Logs what is wrong with the disk. @returns the problem for the client */
  problemOf({ message }: SpoolError): Problem {
    this.log.error(message);
    return new Problem('unavailable', 'the answer could not be stored, because a disk of the server is full', {
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
}

export class Spool {
  private length = 0;

  constructor(
    readonly file: FileHandle,
    readonly bytesMax: number,
    private readonly count: (change: number) => void,
  ) {}

  /** Counts bytes that another thread has written. */
  add(bytes: number): void {
    this.length += bytes;
    this.count(bytes);
  }

  async close(): Promise<void> {
    this.count(-this.length);
    this.length = 0;
    await this.file.close();
  }
}

/** Writes bytes at the end of a spool. @returns their number @throws SpoolError, or Problem unavailable */
export async function writeSpool(fd: number, bytesMax: number, chunks: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > bytesMax) throw tooManyBytes();
    try {
      for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
    } catch (error) {
      throw spoolError(error);
    }
  }
  return length;
}

export const spoolError = (error: unknown) =>
  new SpoolError(`cannot write to the temporary folder ${tmpdir()}: ${(error as Error).message}`);

const tooManyBytes = () =>
  new Problem(
    'unavailable',
    'too many bytes of long answers are not read yet: read them first, or request fewer rows',
    {
      retryAfter: RETRY_AFTER_SECONDS,
    },
  );
