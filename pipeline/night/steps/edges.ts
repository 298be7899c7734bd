import type { ManifestEdge } from '../../../schemas/types.generated.js';
import { type Database, readSql } from '../../base/duckdb/database.js';
import { type Edge, EdgeCalendar } from '../../base/values/edges.js';
import { instantText, parseTime } from '../../holdings/values/time.js';
import { keptEdges } from '../../publish/generation.js';
import type { Artifacts } from '../artifacts.js';
import type { StepContext } from '../night.js';

interface FoundEdge {
  readonly at: string;
  readonly height: number;
  readonly time: string;
}

const SECOND = 1_000_000_000n;

/** Returns the edges in the index. The tables blocks and block_nanos must exist. */
export async function edgesInIndex(
  database: Database,
  { firstTime, lastTime }: Artifacts['span'],
  { config, reference }: Pick<StepContext, 'config' | 'reference'>,
): Promise<ManifestEdge[]> {
  const calendar = new EdgeCalendar(reference.countries, [...config.edges, ...keptEdges(config.dataDir)]);
  const edges = calendar.between({ after: parseTime(firstTime), until: parseTime(lastTime) + SECOND });
  const found = await database.all<FoundEdge>(readSql('tables/edges_in_index'), {
    edges: edges.map(({ at }) => String(at)),
  });
  const countries = new Map(edges.map(({ at, countries }: Edge) => [String(at), countries]));
  return found.map(({ at, height, time }) => ({
    at: instantText(BigInt(at)),
    height,
    block_time: instantText(BigInt(time)),
    countries: [...countries.get(at)!],
  }));
}
