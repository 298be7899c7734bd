/** Finds the asset of the registry that a token's name looks like. */
import type { Asset } from '../../schemas/types.generated.js';
import type { Fold } from './fold.js';

export class LookAlikes {
  private readonly byName = new Map<string, Asset>();

  /** Reads the names of the registry: of two assets that read alike the first counts. */
  constructor(
    assets: readonly Asset[],
    private readonly fold: Fold,
  ) {
    for (const asset of [...assets].reverse()) {
      for (const name of namesOf(asset)) this.byName.set(this.read(name), asset);
    }
  }

  /** The asset that this symbol, name or sub-denom looks like. */
  find(name: string): Asset | undefined {
    return this.byName.get(this.read(name));
  }

  /** Letters and digits alone: `$ATOM`, `A.T.O.M` and `Cosmos  Hub Atom` are read as what they imitate. */
  private read(name: string): string {
    return this.fold(name.replace(/^\$+/, '')).replace(/[^\p{L}\p{N}]/gu, '');
  }
}

/** Symbol and name, and the denom on the home chain (uosmo), which most chains make of the symbol (u for micro). */
function namesOf({ denom, symbol, name, trace }: Asset): string[] {
  return [symbol, name, `u${symbol}`, lastPart(trace ?? denom)];
}

/** `factory/<creator>/<sub-denom>` → the sub-denom; `transfer/channel-141/uosmo` → the base denom. */
export const lastPart = (denom: string) => denom.slice(denom.lastIndexOf('/') + 1);
