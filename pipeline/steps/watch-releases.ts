/** The step that looks for releases of the node software. It can fail nothing: the dataset is published already. */
import type { Artifacts } from '../artifacts.js';
import { readsNode } from '../config.js';
import { unknownUpgrade, unknownUpgradeNote } from '../holdings/state-changes.js';
import type { StepContext } from '../night.js';

/** Asks where the night reads a node: a recording has no releases to come. */
export async function watchUpstream(
  _published: Pick<Artifacts, 'published'>,
  { config, reference, progress }: StepContext,
): Promise<Pick<Artifacts, 'releases'>> {
  if (!readsNode(config)) return { releases: null };
  const { watchReleases } = await import('../chain/watch-releases.js');
  const { error, pending_upgrade: upgradePlan } = await watchReleases(config, reference);
  const unknown = unknownUpgrade({ upgradePlan }, reference.upgrades);
  if (unknown && config.genesis === undefined) progress.say(unknownUpgradeNote(unknown)); // else the fold has said so
  if (error !== null) progress.say(`releases: ${error}`);
  return { releases: error };
}
