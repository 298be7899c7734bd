import { rm } from 'node:fs/promises';

/** Removes a folder of another program, which may still write while it ends: each try lists the folder anew. */
export const removeFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 20 });
