/** The blocks that a night's dataset rests on, as its manifest and its stored answers say it. */
import type { Artifacts, Span } from '../artifacts.js';
import type { DatasetCoverage } from '../reports/coverage.js';

export const datasetCoverage = (
  span: Span,
  { start, folded }: Pick<Artifacts, 'start' | 'folded'>,
): DatasetCoverage => ({
  index_start: span.firstTime.slice(0, 10),
  index_end: span.lastTime.slice(0, 10),
  // A night stops at a height that it cannot have, so that there is none in between.
  coverage: {
    first_height: span.first,
    last_height: span.last,
    starting_height: start?.height ?? null,
    missing: [],
  },
  holdings_until: folded?.until ?? null,
  holdings_stop: folded?.stop ?? null,
});
