import { signal } from '@preact/signals';
import { get, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';

interface ReportDataset {
  readonly generation: string;
  readonly height: number;
  /** Time of the dataset's last block, RFC 3339. */
  readonly time: string;
  readonly index_start: string;
  readonly index_end: string;
  readonly methodology_version: string;
  readonly example: Example | null;
  readonly tags: readonly TagRule[];
  /** Categories whose receipts have no known cost. */
  readonly unknown_basis: readonly string[];
  /** Categories whose cost is the market value on receipt; without a price the cost is unknown. */
  readonly market_basis: readonly string[];
  /** Categories whose cost is known only if the same coins had left before. */
  readonly returning: readonly string[];
  /** By category: whether tags are for its incoming coins, its outgoing coins, or both. */
  readonly tagged_sides: Readonly<Record<string, readonly Side[]>>;
}

/** An example wallet, with assumed purchases of the coins that it held when the index began. */
interface Example {
  readonly address: string;
  readonly opening_lots: readonly {
    readonly denom: string;
    readonly quantity: string;
    readonly acquired_date: string;
    readonly cost_basis_usd: string;
  }[];
}

type Side = 'in' | 'out';

interface TagRule {
  readonly tag: string;
  readonly label: string;
  readonly treatment: string;
  readonly sides: readonly Side[];
}

export const dataset = signal<ReportDataset | undefined>(undefined);
export const datasetFailure = signal('');

export async function findDataset(): Promise<void> {
  datasetFailure.value = '';
  try {
    dataset.value = await get<ReportDataset>(PATHS.dataset);
  } catch (error) {
    datasetFailure.value = messageOf(error);
  }
}

void findDataset();

export const yearsOf = ({ index_start, index_end }: ReportDataset): string[] => {
  const [first, last] = [Number(index_start.slice(0, 4)), Number(index_end.slice(0, 4))];
  return Array.from({ length: last - first + 1 }, (_, i) => String(last - i));
};

interface Taggable {
  readonly category: string;
  readonly receivedAmount: string;
  readonly sentAmount: string;
}

export function tagsFor(row: Taggable): readonly TagRule[] {
  const { tags = [], tagged_sides: taken = {} } = dataset.value ?? {};
  const sides = (taken[row.category] ?? []).filter(
    (side) => row[side === 'in' ? 'receivedAmount' : 'sentAmount'] !== '',
  );
  return tags.filter((tag) => tag.sides.some((side) => sides.includes(side)));
}
