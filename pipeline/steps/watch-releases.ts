/** The step that looks for releases of the node software. It can fail nothing: the dataset is published already. */
import { readsNode } from '../config.js';
import type { Night } from '../night.js';

/** A recording has no releases to come. */
export async function watchUpstream({ config, reference, progress }: Pick<Night, 'config' | 'reference' | 'progress'>) {
  if (!readsNode(config)) return;
  const { watchReleases } = await import('../chain/releases/watch-releases.js');
  const { error } = await watchReleases(config, reference);
  if (error !== null) progress.say(`releases: ${error}`);
}
