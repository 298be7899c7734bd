/** Connects a nightly run with the object store at HUBLEDGER_STORE_URL. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Manifest } from '../../../schemas/types.generated.js';
import { ConfigError } from '../../base/config-error.js';
import { fileSha256, listTree, replaceFile } from '../../base/disk/atomic-files.js';
import { kernelId } from '../../base/disk/life-sign.js';
import type { Config } from '../../config.js';
import { fetchGeneration } from '../follow/pull.js';
import { StoreUpstream } from '../follow/upstream.js';
import { currentFile, currentGeneration, generationDir, manifestFile, SIGNATURE, sealedFiles } from '../generation.js';
import { readSignature } from '../signature.js';
import { fetchArchive, listArchive } from './archive.js';
import { isUnusable, mapAll, type StoredFile } from './content-store.js';
import { DatasetStore, type LocalPiece, type ReadCurrent } from './dataset-store.js';
import { takeLease } from './night-lease.js';
import { type Patience, STORE_PATIENCE_MS } from './object-store.js';
import { probe } from './open-object-store.js';

export interface NightStoreOptions extends Pick<Config, 's3Endpoint' | 'dataDir'> {
  readonly storeUrl: string;
  readonly say: Patience['say'];
  readonly patienceMs: number | undefined;
  readonly allowLoss: boolean;
  readonly onProgress: OnProgress;
}

type OnProgress = (done: number, total: number) => void;

/** Thrown if the store has lost what this data folder has published there. Exit code 3. */
export class LostStoreError extends ConfigError {}

/** File with the URL of the store to which this data folder has published. */
const publishedTo = (dataDir: string) => join(dataDir, 'published-to');

/** @throws LostStoreError if this data folder has published to the store, but the store is empty */
export async function expectNotLost({ objects }: DatasetStore, dataDir: string): Promise<void> {
  const { url } = objects;
  const record = publishedTo(dataDir);
  if (!existsSync(record) || readFileSync(record, 'utf8').trim() !== url) return;
  const folder = url.startsWith('file:') ? fileURLToPath(url) : undefined;
  const isEmpty = async () => {
    for await (const _ of objects.list('generations/')) return false;
    return true;
  };
  const isMissing = folder !== undefined && !existsSync(folder);
  if (!isMissing && !(await isEmpty())) return;
  const what = isMissing ? 'does not exist' : 'is empty';
  throw new LostStoreError(
    `HUBLEDGER_STORE_URL: ${folder ?? url} ${what}, but this data folder has published there: mount or restore it, or remove ${record} to begin a new store`,
  );
}

export class NightStore {
  private constructor(
    private readonly datasets: DatasetStore,
    private readonly dataDir: string,
    private readonly read: ReadCurrent,
    private readonly archiveEtag: string | undefined,
    /** Releases the lease. */
    readonly close: () => Promise<void>,
  ) {}

  /**
   * Opens the store, takes the lease of nightly runs, and fetches what the data folder lacks.
   * @throws VariableError if the store cannot be used
   * @throws RunningError if a nightly run on another machine holds the lease
   * @throws LostStoreError if the store has lost what this data folder has published
   */
  static async open({
    storeUrl,
    s3Endpoint,
    dataDir,
    say,
    patienceMs = STORE_PATIENCE_MS,
    allowLoss,
    onProgress,
  }: NightStoreOptions): Promise<NightStore> {
    const datasets = await DatasetStore.open(storeUrl, s3Endpoint, { forMs: patienceMs, say });
    await expectNotLost(datasets, dataDir);
    await probe(datasets.objects);
    const { dev, ino } = statSync(dataDir);
    const release = await takeLease(datasets, `${kernelId()} ${dev}-${ino}`);
    try {
      const read = await datasets.readCurrent();
      const archive = await datasets.readArchive();
      datasets.keep(archive.files);
      await fetchArchive(datasets, archive.files, dataDir, { say, allowLoss, onProgress });
      if (read.current) {
        const { generation } = read.current;
        const isHere =
          currentGeneration(dataDir) === generation && existsSync(manifestFile(generationDir(dataDir, generation)));
        if (isHere) await keepFiles(datasets, generation, say);
        else {
          const text = await datasets.readManifest(read.current);
          const progress = { begin() {}, update: onProgress };
          const options = { dataDir, cacheBytes: Number.POSITIVE_INFINITY, say, progress };
          const signature = await datasets.readSignature(generation);
          const received = { manifest: JSON.parse(text), text, signature };
          await fetchGeneration(new StoreUpstream(datasets), received, options).catch((error) => {
            if (!isUnusable(error)) throw error;
            throw new ConfigError(
              `${error.message}. ${generation} is not in ${dataDir}: if no other machine has it, bring it from a server by ./hubledger pull`,
            );
          });
          datasets.keep(await datasets.readFiles(generation));
          replaceFile(currentFile(dataDir), `${generation}\n`);
        }
      }
      return new NightStore(datasets, dataDir, read, archive.etag, release);
    } catch (error) {
      await release().catch(() => {});
      throw error;
    }
  }

  getPiece(step: string, key: string, folder: string): Promise<boolean> {
    return this.datasets.getPiece(step, key, folder);
  }

  /**
   * Publishes a generation of the data folder. CURRENT changes last.
   * @throws DifferentPieces if the store has other bytes under a key
   * @throws OvertakenError if another nightly run has published in the meantime
   */
  async publish(generation: string, pieces: readonly LocalPiece[], onProgress: OnProgress): Promise<void> {
    const { datasets, dataDir, read } = this;
    const folder = generationDir(dataDir, generation);
    const text = readFileSync(manifestFile(folder), 'utf8');
    const files = await this.filesOf(folder, JSON.parse(text));
    const archive = await listArchive(dataDir);
    await datasets.listObjects();
    await datasets.putPieces(pieces);
    let done = 0;
    const total = archive.length + files.length;
    for (const [root, members] of [
      [dataDir, archive],
      [folder, files],
    ] as const) {
      await mapAll(members, async ({ path, sha256 }) => {
        await datasets.putObject(join(root, path), sha256);
        onProgress(++done, total);
      });
    }
    await datasets.swapArchive(this.archiveEtag, archive);
    await datasets.putFiles(generation, files);
    const signature = readSignature(folder);
    if (signature !== undefined) await datasets.putSignature(generation, signature);
    const published = await datasets.putManifest(generation, text);
    if (read.current?.generation === generation) await datasets.expectCurrent(read);
    else await datasets.swapCurrent(read, { generation, ...published, at: new Date().toISOString() });
    replaceFile(publishedTo(dataDir), `${datasets.objects.url}\n`);
    await datasets.sweep(archive);
  }

  /** Lists a generation's files without manifest and signature: tables, catalog and Delta logs. */
  private async filesOf(folder: string, manifest: Manifest): Promise<StoredFile[]> {
    const known = new Map(sealedFiles(manifest).map(({ path, sha256 }) => [path, sha256]));
    const files: StoredFile[] = [];
    for (const path of listTree(folder)) {
      const file = join(folder, path);
      if (file === manifestFile(folder) || path === SIGNATURE) continue;
      files.push({ path, bytes: statSync(file).size, sha256: known.get(path) ?? (await fileSha256(file)) });
    }
    return files;
  }
}

/** The list only saves requests and is written again, so the run needs none. */
async function keepFiles(datasets: DatasetStore, generation: string, say: Patience['say']): Promise<void> {
  try {
    datasets.keep(await datasets.readFiles(generation));
  } catch (error) {
    if (!isUnusable(error)) throw error;
    say(`${error.message}; it is written again`);
  }
}
