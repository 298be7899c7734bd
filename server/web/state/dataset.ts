/** The dataset that the server answers from: which days it covers, and a wallet to look at. */
import { signal } from '@preact/signals';
import { get, messageOf } from '../api/client.js';
import { PATHS } from '../api/paths.js';

export interface ReportDataset {
  readonly generation: string;
  readonly height: number;
  /** Time of its last block, RFC 3339. */
  readonly time: string;
  readonly index_start: string;
  readonly index_end: string;
  readonly methodology_version: string;
  readonly example: Example | null;
  readonly tags: readonly TagRule[];
  /** Categories whose receipts have no known cost. */
  readonly unknown_basis: readonly string[];
  /** Categories whose receipts cost what they were worth; the cost is unknown without a price. */
  readonly market_basis: readonly string[];
  /** Categories whose receipts have no known cost where their coins had not gone out before. */
  readonly returning: readonly string[];
  /** The sides of a row of each category that take a tag. */
  readonly tagged_sides: Readonly<Record<string, readonly Side[]>>;
}

/** A wallet to look at, and what its owner states about coins from before the index. */
export interface Example {
  readonly address: string;
  readonly opening_lots: readonly {
    readonly denom: string;
    readonly quantity: string;
    readonly acquired_date: string;
    readonly cost_basis_usd: string;
  }[];
}

/** The side of a row: what arrived, or what left. */
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

/** Years of which the dataset has a day, the last one first. */
export const yearsOf = ({ index_start, index_end }: ReportDataset): string[] => {
  const [first, last] = [Number(index_start.slice(0, 4)), Number(index_end.slice(0, 4))];
  return Array.from({ length: last - first + 1 }, (_, i) => String(last - i));
};

/** Members of a row that tell which tags it takes. */
interface Taggable {
  readonly category: string;
  readonly receivedAmount: string;
  readonly sentAmount: string;
}

/** The tags that a row takes. */
export function tagsFor(row: Taggable): readonly TagRule[] {
  const { tags = [], tagged_sides: taken = {} } = dataset.value ?? {};
  const sides = (taken[row.category] ?? []).filter(
    (side) => row[side === 'in' ? 'receivedAmount' : 'sentAmount'] !== '',
  );
  return tags.filter((tag) => tag.sides.some((side) => sides.includes(side)));
}
