/** Addresses of unix sockets in folders of any depth. */
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of an address that every system takes; libuv would cut a longer one short without a word. */
const ADDRESS_MAX = 103;

/**
 * Uses the address of the socket `name` in a folder. Linux reaches the folder by an open descriptor, so that the length of its path
 * does not matter there.
 * @param use is given the address, which is good until its promise settles
 * @throws Error on another system where the path is too long
 */
export async function withAddress<Result>(
  folder: string,
  name: string,
  use: (address: string) => Promise<Result>,
): Promise<Result> {
  if (process.platform !== 'linux') {
    const address = join(folder, name);
    if (Buffer.byteLength(address) > ADDRESS_MAX) throw new Error(`the path ${address} is too long for a socket`);
    return use(address);
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${descriptor}/${name}`);
  } finally {
    closeSync(descriptor);
  }
}
