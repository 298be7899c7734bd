/** The protocol of pieces and generations, on a folder and on an S3 server that sometimes fails. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DifferentPieces, RunningError, VariableError } from '../../../pipeline/base/config-error.js';
import { sealFolder } from '../../../pipeline/base/disk/sealed-folder.js';
import { fetchArchive } from '../../../pipeline/publish/store/archive.js';
import { mapAll } from '../../../pipeline/publish/store/content-store.js';
import { DatasetStore, OvertakenError } from '../../../pipeline/publish/store/dataset-store.js';
import { takeLease } from '../../../pipeline/publish/store/night-lease.js';
import { chunksOf, type ObjectStore, StoreAway } from '../../../pipeline/publish/store/object-store.js';
import { openObjectStore, probe } from '../../../pipeline/publish/store/open-object-store.js';
import { startFaultyProxy, startS3 } from './s3-server.js';

const root = mkdtempSync(join(tmpdir(), 'hubledger-store-'));
after(() => rmSync(root, { recursive: true }));
const said: string[] = [];
const patience = { forMs: 30_000, say: (line: string) => void said.push(line) };
const BYTES = Buffer.from('0123456789'.repeat(100));
const PART_BYTES = 300;

let folders = 0;
const newFolder = () => {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  return folder;
};

function fileOf(bytes: string | Buffer): string {
  const path = join(newFolder(), 'file');
  writeFileSync(path, bytes);
  return path;
}

async function pieceOf(files: Record<string, string>): Promise<string> {
  const [making, piece] = [join(newFolder(), 'making'), join(newFolder(), 'piece')];
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(making, name, '..'), { recursive: true });
    writeFileSync(join(making, name), content);
  }
  await sealFolder(making, piece);
  return piece;
}

const warnings: Error[] = [];
process.on('warning', (warning) => warnings.push(warning));
const s3 = await startS3();
const proxy = s3 && (await startFaultyProxy(s3.endpoint));
after(async () => {
  proxy?.stop();
  await s3?.stop();
});

/** Opens an empty store of each kind. */
const KINDS: Record<string, () => Promise<ObjectStore>> = {
  file: () => openObjectStore(pathToFileURL(newFolder()).href, undefined, patience),
  ...(s3 && {
    s3: () => openObjectStore(`s3://${s3.bucket}/${folders++}`, s3.endpoint, patience),
    'failing s3': () => openObjectStore(`s3://${s3.bucket}/${folders++}`, proxy!.endpoint, patience),
  }),
};

for (const [kind, open] of Object.entries(KINDS)) {
  const openStore = async () => new DatasetStore(await open(), patience, PART_BYTES);

  test(`${kind}: of writes at once with a condition, one succeeds`, async () => {
    const store = await open();
    await probe(store);
    assert.equal(await store.get('a/b'), undefined);
    const bodiesOf = (name: string) => Array.from({ length: 5 }, (_, i) => Buffer.from(`${name} ${i}`));
    const first = await Promise.all(bodiesOf('first').map((body) => store.put('a/b', body, { ifNoneMatch: '*' })));
    assert.equal(first.filter((written) => written !== 'exists').length, 1);
    const { etag } = (await store.head('a/b'))!;
    const second = await Promise.all(bodiesOf('second').map((body) => store.put('a/b', body, { ifMatch: etag })));
    assert.equal(second.filter((written) => written !== 'changed').length, 1);
    const keys: string[] = [];
    for await (const { key } of store.list('a/')) keys.push(key);
    assert.deepEqual(keys, ['a/b']);
    const { bytes } = (await store.head('a/b'))!;
    for (const from of [bytes, bytes + 1]) {
      const rest = (await store.get('a/b', from))!;
      assert.deepEqual([await text(rest.body), rest.bytes], ['', bytes], 'a cut at the end leaves nothing to read');
    }
    await store.remove('a/b');
    assert.equal(await store.head('a/b'), undefined);
  });

  test(`${kind}: keys that lead out of the store are refused`, async () => {
    const store = await open();
    for (const key of ['../outside', '/outside', 'objects/../../outside', 'a//b', '.hidden', '']) {
      for (const act of [store.get(key), store.head(key), store.put(key, Buffer.from('x')), store.remove(key)])
        await assert.rejects(act, /^Error: ".*" is not the path of a file below a folder$/, key);
    }
  });

  test(`${kind}: the first caller makes the id of a store`, async () => {
    const [one, other] = [await openStore(), await openStore()];
    assert.equal(await one.readId(), undefined);
    const ids = await Promise.all([one.makeId(), one.makeId()]);
    assert.match(ids[0]!, /^[0-9a-f]{16}$/);
    assert.deepEqual([ids[1], await one.readId()], [ids[0], ids[0]]);
    assert.notEqual(await other.makeId(), ids[0]);
    await one.objects.put('id', Buffer.from('../x\n'));
    await assert.rejects(one.readId(), /^Error: id in .* is damaged: remove it/);
  });

  test(`${kind}: a file is stored once under its hash, and a wrong byte is noticed`, async () => {
    const store = await openStore();
    for (const bytes of [BYTES, BYTES.subarray(0, PART_BYTES), Buffer.alloc(0)]) {
      const path = fileOf(bytes);
      const sha256 = await store.putObject(path);
      assert.equal(await store.putObject(path), sha256);
      const copy = join(newFolder(), 'copy');
      await store.getObject(sha256, copy);
      assert.deepEqual(readFileSync(copy), bytes);
    }
    const sha256 = await store.putObject(fileOf('right'));
    await store.objects.put(`objects/${sha256}`, Buffer.from('wrong'));
    const copy = join(newFolder(), 'copy');
    await assert.rejects(store.getObject(sha256, copy), /objects\/\w{64} in .* is damaged: its bytes have SHA-256/);
    assert.throws(() => readFileSync(copy));
    await store.putObject(fileOf('right'));
    await store.getObject(sha256, copy);
    assert.equal(readFileSync(copy, 'utf8'), 'right', 'a damaged object is written again');
    const parts = await store.putObject(fileOf(BYTES));
    for (const list of ['{', '["a"]', '{}']) {
      await store.objects.put(`objects/${parts}.parts`, Buffer.from(list));
      await assert.rejects(store.getObject(parts, copy), /objects\/\w{64}\.parts in .* is damaged: remove it/);
    }
  });

  test(`${kind}: a piece comes back with its bytes, and another one under its key is refused`, async () => {
    const store = await openStore();
    const piece = await pieceOf({ 'a.txt': 'a', 'b/c.txt': BYTES.toString() });
    await store.putPiece('months', 'k1', piece);
    await store.putPiece('months', 'k1', piece);
    const copy = join(newFolder(), 'copy');
    assert.equal(await store.getPiece('months', 'k1', copy), true);
    assert.equal(readFileSync(join(copy, 'sums.json'), 'utf8'), readFileSync(join(piece, 'sums.json'), 'utf8'));
    assert.equal(readFileSync(join(copy, 'b/c.txt'), 'utf8'), BYTES.toString());
    assert.equal(await store.getPiece('months', 'k2', copy), false);
    const sha256 = '0'.repeat(64);
    for (const text of ['{"fil', '{"files":[{"path":"a"}]}', JSON.stringify({ files: [{ path: '../a', sha256 }] })]) {
      await store.objects.put('pieces/months/k3.json', Buffer.from(text));
      said.length = 0;
      assert.equal(await store.getPiece('months', 'k3', copy), false);
      assert.match(said.at(-1)!, /months\/k3\.json in .* is damaged: remove it.*; months k3 is made again$/);
    }
    await store.putPiece('months', 'k3', piece);
    await store.objects.put(`objects/${(await store.readPiece('months', 'k3'))![0]!.sha256}`, Buffer.from('wrong'));
    const again = join(newFolder(), 'again');
    assert.equal(await store.getPiece('months', 'k3', again), false, 'a piece with a wrong byte');
    await store.putPiece('months', 'k3', piece);
    assert.equal(await store.getPiece('months', 'k3', again), true);
    const other = await pieceOf({ 'a.txt': 'b', 'b/c.txt': BYTES.toString() });
    await assert.rejects(store.putPiece('months', 'k1', other), (error: Error) => {
      assert.ok(error instanceof DifferentPieces);
      assert.match(error.message, /months\/k1\.json .*a\.txt .*: [0-9a-f]{64} before, [0-9a-f]{64} now$/);
      return true;
    });
  });

  test(`${kind}: CURRENT changes only from the value that was read`, async () => {
    const store = await openStore();
    const none = await store.readCurrent();
    assert.equal(none.current, undefined);
    const next = { generation: 'h1-a', ...(await store.putManifest('h1-a', '{}')), at: '2026-01-01T00:00:00Z' };
    await store.swapCurrent(none, next);
    const read = await store.readCurrent();
    assert.deepEqual(read.current, next);
    assert.equal(await store.readManifest(next), '{}');
    await assert.rejects(store.swapCurrent(none, { ...next, generation: 'h1-b' }), OvertakenError);
    await store.swapCurrent(read, { ...next, generation: 'h2-a' });
    await assert.rejects(store.swapCurrent(read, { ...next, generation: 'h2-b' }), /has published h2-a/);
    await assert.rejects(store.expectCurrent(read), OvertakenError);
    await store.objects.put('CURRENT', Buffer.from(JSON.stringify({ ...next, generation: undefined })));
    await assert.rejects(store.readCurrent(), /^Error: CURRENT in .* is damaged: remove it/);
    await assert.rejects(store.putManifest('h1-a', '{"other":1}'), DifferentPieces);
    await assert.rejects(store.readManifest({ ...next, manifest_sha256: '0' }), /is damaged/);
  });
}

test('a key does not pass through a symbolic link in a folder', async () => {
  const [folder, outside] = [newFolder(), newFolder()];
  const store = await openObjectStore(pathToFileURL(folder).href, undefined, patience);
  symlinkSync(outside, join(folder, 'objects'));
  await assert.rejects(store.put('objects/a', Buffer.from('x')), /objects is a symbolic link, which paths from other/);
  await assert.rejects(store.get('objects/a'), /objects is a symbolic link/);
  assert.deepEqual(readdirSync(outside), []);
});

test('an archive that names other parts of the data folder is refused', async () => {
  const dataDir = newFolder();
  const store = await DatasetStore.open(pathToFileURL(newFolder()).href, undefined, patience);
  const sha256 = await store.putObject(fileOf('x'));
  const options = { say: () => {}, allowLoss: false, onProgress: () => {} };
  for (const path of ['CURRENT', 'store/PG_VERSION', 'raw', 'toString/x', 'prices/v1'])
    await assert.rejects(
      fetchArchive(store, [{ path, bytes: 1, sha256 }], dataDir, options),
      new RegExp(`^Error: archive.json in .* names ${path}, which no nightly run archives$`),
    );
  assert.deepEqual(readdirSync(dataDir), []);
});

test('a live lease refuses a second nightly run, and a dead one is taken over', async () => {
  const store = new DatasetStore(await KINDS.file!(), patience);
  const release = await takeLease(store, 'one', { renewMs: 20, staleMs: 60_000 });
  await assert.rejects(takeLease(store, 'two', { renewMs: 20, staleMs: 60_000 }), RunningError);
  await release();
  await takeLease(store, 'one', { renewMs: 1e9, staleMs: 1 });
  const again = await takeLease(store, 'one', { renewMs: 1e9, staleMs: 1e9 });
  const other = await takeLease(store, 'two', { renewMs: 100, staleMs: 50 });
  await again();
  assert.ok(await store.objects.head('locks/night'), 'who lost the lease must not remove it');
  await other();
  assert.equal(await store.objects.head('locks/night'), undefined);
});

test('a sweep removes what no kept manifest and no recent piece names', async () => {
  const store = new DatasetStore(await KINDS.file!(), patience, PART_BYTES);
  const [published, free, kept] = [await store.putObject(fileOf(BYTES)), await store.putObject(fileOf('free')), 'x'];
  const files = [{ path: 'a', bytes: BYTES.length, sha256: published }];
  for (let i = 1; i <= 5; i++) {
    await store.putFiles(`h${i}-a`, i > 1 ? files : []);
    await store.putManifest(`h${i}-a`, '{}');
  }
  await store.putPiece('months', 'k', await pieceOf({ 'piece.txt': 'piece' }));
  const still = { path: 'x', bytes: 1, sha256: await store.putObject(fileOf(kept)) };
  const day = 86_400_000;
  assert.equal(await store.sweep([still], Date.now() + day), 0);
  assert.equal(await store.sweep([still], Date.now() + 3 * day), 1);
  await assert.rejects(store.getObject(free, join(newFolder(), 'copy')), /does not contain objects/);
  await store.getObject(published, join(newFolder(), 'copy'));
  assert.equal(await store.getPiece('months', 'k', join(newFolder(), 'copy')), true);
  assert.equal(await store.sweep([still], Date.now() + 8 * day), 1);
  assert.equal(await store.getPiece('months', 'k', join(newFolder(), 'copy')), false);
  await store.objects.put('generations/h4-a/files.json', Buffer.from('{'));
  assert.equal(await store.sweep([], Date.now() + 9 * day), 0, 'a damaged list may name any object');
  assert.match(said.at(-1)!, /^old objects stay: generations\/h4-a\/files\.json in .* is damaged/);
  await store.getObject(published, join(newFolder(), 'copy'));
});

test('processes at once lose no write to a folder', async () => {
  const url = pathToFileURL(newFolder()).href;
  const store = await openObjectStore(url, undefined, patience);
  await store.put('number', Buffer.from('0'));
  const child = join(import.meta.dirname, `swap-child${extname(import.meta.filename)}`);
  const children = [1, 2, 3].map(() => spawn(process.execPath, [child, url, '4'], { stdio: 'inherit' }));
  for (const [code] of await Promise.all(children.map((process) => once(process, 'close')))) assert.equal(code, 0);
  assert.equal(await text((await store.get('number'))!.body), '12');
});

test('a store without conditional writes is refused', async () => {
  const store = await KINDS.file!();
  const lax: ObjectStore = { ...store, put: (key, body) => store.put(key, body) };
  await assert.rejects(probe(lax), (error: Error) => {
    assert.ok(error instanceof VariableError);
    assert.match(error.message, /^HUBLEDGER_STORE_URL: file:.* has no conditional writes/);
    return true;
  });
});

test('a store that is away is asked again, with one line, until patience ends', async () => {
  const folder = newFolder();
  rmSync(folder, { recursive: true });
  const lines: string[] = [];
  const away = { forMs: 400, say: (line: string) => lines.push(line) };
  const store = await openObjectStore(pathToFileURL(folder).href, undefined, away);
  await assert.rejects(store.get('CURRENT'), StoreAway);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /does not exist; trying again for 1 s$/);
});

test('a folder that vanishes while it is used is not created again', async () => {
  const folder = join(newFolder(), 'mount');
  const store = await openObjectStore(pathToFileURL(folder).href, undefined, { forMs: 0, say() {} });
  await store.put('a', Buffer.from('1'));
  rmSync(folder, { recursive: true });
  await assert.rejects(store.put('a', Buffer.from('2')), StoreAway);
  assert.equal(existsSync(folder), false);
});

test('a folder that its user may not change is a wrong setting', async () => {
  const url = 'file:///sys/hubledger-store'; // also root can create no folder there
  const store = await openObjectStore(url, undefined, patience);
  const refused = (error: Error) => {
    assert.ok(error instanceof VariableError);
    assert.match(
      error.message,
      /^HUBLEDGER_STORE_URL: this user may not read or write file:\S+: change its rights \(E/,
    );
    return true;
  };
  await assert.rejects(store.put('key', Buffer.from('1')), refused);
});

test('a folder without locks is a wrong setting', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, '.writing'), 'no folder');
  const store = await openObjectStore(pathToFileURL(folder).href, undefined, patience);
  const first = await store.put('key', Buffer.from('1'));
  assert.ok(typeof first !== 'string');
  await assert.rejects(store.put('key', Buffer.from('2'), { ifMatch: first.etag }), /^Error: HUBLEDGER_STORE_URL: /);
});

test('a transfer with a byte now and then is ended', async () => {
  async function* drip() {
    for (;;) {
      await wait(1);
      yield Buffer.from('1');
    }
  }
  const read = async () => {
    for await (const _ of chunksOf(drip(), 'http://store', { ms: 50, bytes: 1_000 }));
  };
  await assert.rejects(read, (error: Error) => {
    assert.ok(error instanceof StoreAway);
    assert.match(error.message, /^http:..store sends only \d+ bytes in 0\.05 s$/);
    return true;
  });
});

test('a bucket, credentials and addresses that are wrong are named', { skip: !s3 }, async () => {
  const missing = await openObjectStore('s3://no-such-bucket/a', s3!.endpoint, patience);
  await assert.rejects(probe(missing), /^Error: HUBLEDGER_STORE_URL: there is no bucket no-such-bucket at http/);
});

/** Starts a server that answers like S3. @returns its URL */
async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const xmlError = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;

test('a wrong clock of this machine is named, and requests succeed all the same', { skip: !s3 }, async (t) => {
  const now = () => Date.now() + 3_600_000;
  const endpoint = await answering(t, ({ headers }, response) => {
    const sent = String(headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
    response.setHeader('date', new Date(now()).toUTCString());
    const isSkewed = Math.abs(Date.parse(sent) - now()) > 900_000;
    response.writeHead(isSkewed ? 403 : 200, { etag: '"1"' }).end(isSkewed ? xmlError('RequestTimeTooSkewed') : '');
  });
  const lines: string[] = [];
  const store = await openObjectStore('s3://bucket/a', endpoint, { ...patience, say: (line) => lines.push(line) });
  assert.deepEqual(await store.put('key', Buffer.from('1')), { etag: '"1"' });
  assert.equal(lines.length, 1);
  assert.match(
    lines[0]!,
    /^the clocks of this machine and of http:\S+ differ, set this clock \(403, RequestTimeTooSkewed: no\)/,
  );
});

test('a store that redirects is named at once', { skip: !s3 }, async (t) => {
  for (const [status, body] of [[301, xmlError('PermanentRedirect')] as const, [302, ''] as const]) {
    const endpoint = await answering(t, (request, response) => {
      request.resume();
      response.writeHead(status, { location: 'https://other.example/' }).end(body);
    });
    const store = await openObjectStore('s3://bucket/a', endpoint, patience);
    await assert.rejects(store.put('key', Buffer.from('1')), (error: Error) => {
      assert.ok(error instanceof VariableError);
      assert.match(error.message, /^HUBLEDGER_STORE_URL: http:\S+ redirects requests for bucket: check AWS_REGION/);
      return true;
    });
  }
});

test('the client of S3 prints no warning', { skip: !s3 }, () => assert.deepEqual(warnings, []));

test('the failing proxy has failed', { skip: !s3 }, () => assert.ok(proxy!.faults() > 10));

test('transfers end before an error is reported, and none begins after it', async () => {
  const begun: number[] = [];
  let isWritten = false;
  const act = async (value: number) => {
    begun.push(value);
    if (value === 0) throw new Error('damaged');
    await new Promise(setImmediate);
    isWritten ||= value === 1;
  };
  const values = Array.from({ length: 1000 }, (_, i) => i);
  await assert.rejects(mapAll(values, act), /damaged/);
  assert.ok(isWritten, 'the second transfer has ended');
  assert.ok(begun.length < values.length, `${begun.length} begun`);
});
