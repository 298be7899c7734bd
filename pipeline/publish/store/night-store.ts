/** What a nightly run does with the object store of HUBLEDGER_STORE_URL. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../../schemas/types.generated.js';
import { fileSha256, listTree } from '../../base/disk/atomic-files.js';
import { kernelId } from '../../base/disk/lock.js';
import type { Config } from '../../config.js';
import { generationDir, manifestFile } from '../generation.js';
import { DatasetStore, type LocalPiece, type ReadCurrent, type StoredFile } from './dataset-store.js';
import { type Patience, probe, STORE_PATIENCE_MS } from './object-store.js';

export class NightStore {
  private constructor(
    readonly datasets: DatasetStore,
    private readonly dataDir: string,
    private readonly read: ReadCurrent,
    private readonly release: () => Promise<void>,
  ) {}

  /**
   * Opens the store, and takes the lease of nightly runs.
   * @returns undefined without a store
   * @throws VariableError if the store cannot be used
   * @throws RunningError if a nightly run on another machine holds the lease
   */
  static async open(
    { storeUrl, s3Endpoint, dataDir }: Pick<Config, 'storeUrl' | 's3Endpoint' | 'dataDir'>,
    say: Patience['say'],
    patienceMs = STORE_PATIENCE_MS,
  ): Promise<NightStore | undefined> {
    if (storeUrl === undefined) return undefined;
    const datasets = await DatasetStore.open(storeUrl, s3Endpoint, { forMs: patienceMs, say });
    await probe(datasets.objects);
    const { dev, ino } = statSync(dataDir);
    const release = await datasets.takeLease(`${kernelId()} ${dev}-${ino}`);
    try {
      return new NightStore(datasets, dataDir, await datasets.readCurrent(), release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /**
   * Publishes a generation of the data folder. CURRENT changes last.
   * @throws DifferentPieces if the store has other bytes under a key
   * @throws OvertakenError if another nightly run has published
   */
  async publish(generation: string, pieces: readonly LocalPiece[]): Promise<void> {
    const { datasets, read } = this;
    const folder = generationDir(this.dataDir, generation);
    const text = readFileSync(manifestFile(folder), 'utf8');
    const files = await this.filesOf(folder, JSON.parse(text));
    await Promise.all([
      ...files.map(({ path, sha256 }) => datasets.putObject(join(folder, path), sha256)),
      ...pieces.map((piece) => datasets.putPiece(piece.step, piece.key, piece.folder)),
    ]);
    await datasets.putFiles(generation, files);
    const published = await datasets.putManifest(generation, text);
    if (read.current?.generation === generation) return datasets.expectCurrent(read);
    await datasets.swapCurrent(read, { generation, ...published, at: new Date().toISOString() });
  }

  /** Lists the files of tables and Delta logs. */
  private async filesOf(folder: string, { tables }: Manifest): Promise<StoredFile[]> {
    const known = new Map(tables.flatMap(({ files }) => files.map((file) => [file.path, file.sha256])));
    const files: StoredFile[] = [];
    for (const path of listTree(folder)) {
      const file = join(folder, path);
      if (file === manifestFile(folder)) continue;
      files.push({ path, bytes: statSync(file).size, sha256: known.get(path) ?? (await fileSha256(file)) });
    }
    return files;
  }

  close(): Promise<void> {
    return this.release();
  }
}
