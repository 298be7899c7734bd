/** The steps that put a sealed generation in force. */
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';
import { placeWalletIndex } from '../publish/place-wallet-index.js';
import { makeCurrent, removeOldGenerations } from '../publish/publish-generation.js';

/** Gives the wallet index its name, before anything can be asked of the generation. */
export async function placeIndex(
  { wallet_index, manifest: { generation } }: Pick<Artifacts, 'wallet_index' | 'manifest'>,
  { config, reference }: StepContext,
): Promise<Pick<Artifacts, 'placed_index'>> {
  await placeWalletIndex(config.dataDir, generation, reference, wallet_index);
  return { placed_index: generation };
}

/** Puts the generation in force and clears away what is too old. */
export async function putInForce(
  { placed_index: generation }: Pick<Artifacts, 'placed_index'>,
  { config }: StepContext,
): Promise<Pick<Artifacts, 'published'>> {
  makeCurrent(config.dataDir, generation);
  removeOldGenerations(config.dataDir);
  return { published: generation };
}
