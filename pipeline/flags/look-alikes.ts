import type { Asset } from '../../schemas/types.generated.js';
import type { Fold } from './fold.js';

export class LookAlikes {
  private readonly byName = new Map<string, Asset>();

  /** The first of several look-alike assets wins. */
  constructor(
    assets: readonly Asset[],
    private readonly fold: Fold,
  ) {
    for (const asset of [...assets].reverse()) {
      for (const name of namesOf(asset)) this.byName.set(this.read(name), asset);
    }
  }

  /** Finds the asset for a symbol, name or sub-denom. */
  find(name: string): Asset | undefined {
    return this.byName.get(this.read(name));
  }

  /** Keeps only letters and digits: `$ATOM` and `A.T.O.M` both match ATOM. */
  private read(name: string): string {
    return this.fold(name.replace(/^\$+/, '')).replace(/[^\p{L}\p{N}]/gu, '');
  }
}

/** Returns symbol, name, and the usual base denom (u for micro: uosmo). */
function namesOf({ denom, symbol, name, trace }: Asset): string[] {
  return [symbol, name, `u${symbol}`, lastPart(trace ?? denom)];
}

/** Returns the sub-denom of `factory/<creator>/<sub-denom>`, or the base denom of a trace. */
export const lastPart = (denom: string) => denom.slice(denom.lastIndexOf('/') + 1);
