/** A process that takes a lock of a data folder, says so, and keeps it until it is killed; after the third word it blocks for so long. */
import { takeLock } from '../../../pipeline/base/disk/lock.js';

const [dataDir, blockedMs] = process.argv.slice(2);
try {
  await takeLock(dataDir!, 'night', 'a nightly run is already in progress');
  console.log('taken');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(blockedMs ?? 0));
  setInterval(() => {}, 1000);
} catch (error) {
  console.log((error as Error).message);
}
