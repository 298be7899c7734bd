/** Adds one to a number in a store several times, each time from the value that was read: `<url> <times>`. */
import { text } from 'node:stream/consumers';
import { openObjectStore } from '../../../pipeline/publish/store/open-object-store.js';

const [url, times] = process.argv.slice(2);
const store = await openObjectStore(url!, undefined, { forMs: 0, say() {} });
for (let done = 0; done < Number(times); ) {
  const { body, etag } = (await store.get('number'))!;
  const next = Buffer.from(String(Number(await text(body)) + 1));
  if ((await store.put('number', next, { ifMatch: etag })) !== 'changed') done++;
}
