import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';

const ADDRESS_MAX = 103;

/**
 * Calls `use` with a socket's address. On Linux, the address names the folder by its descriptor, so the path may have
 * any length.
 * @throws Error on other systems if the path is too long
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
