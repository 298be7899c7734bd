/** Formats the reports of `hubledger check-nodes`: one table, and a command that sets the best nodes. */
import { alignColumns } from '../bench/table.js';
import type { NodeReport } from './report.js';

const HEAD = [
  'node',
  'kind',
  'blocks',
  'lag',
  'index',
  'search',
  'states',
  'height',
  'proofs',
  'batch',
  'GET',
  'POST',
  'limit',
];

const count = (number: number) => number.toLocaleString('en');
const yesNo = (value: boolean | null) => (value === null ? '?' : value ? 'yes' : 'no');

function lag(seconds: number | null): string {
  if (seconds === null) return '?';
  if (Math.abs(seconds) < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

function index({ index: state, index_behind: behind }: NodeReport): string {
  if (state !== 'on' || behind === null || behind === 0) return state ?? '';
  return `${count(behind)} behind`;
}

function cells(report: NodeReport): string[] {
  const { name, kind, fault, earliest, latest, search_blocks, states, height_honoured, proofs } = report;
  if (fault !== null) return [name, kind ?? '?', fault];
  const isRpc = kind === 'RPC';
  return [
    name,
    kind ?? '?',
    earliest === null ? `to ${latest}` : `${earliest}–${latest}`,
    lag(report.lag_seconds),
    index(report),
    search_blocks === null ? '' : count(search_blocks),
    states === null ? 'none' : count(states),
    yesNo(height_honoured),
    isRpc ? yesNo(proofs) : '',
    isRpc ? String(report.batch) : '',
    isRpc ? yesNo(report.get) : '',
    isRpc ? yesNo(report.post) : '',
    report.limit ?? '',
  ];
}

/** Returns one line for each node. Nodes that cannot be used come last, with the reason. */
export function formatReports(reports: readonly NodeReport[]): string {
  const [usable, faulty] = [true, false].map((isUsable) =>
    reports.filter(({ fault }) => (fault === null) === isUsable),
  );
  const table = usable!.length === 0 ? [] : [alignColumns([HEAD, ...usable!.map(cells)], () => false)];
  return [...table, ...faulty!.map((report) => `${cells(report).join('  ')}`)].join('\n');
}

/** A node is used for searches only if its index is not further behind. */
const INDEX_BEHIND_MAX = 100;
const LAG_MAX_S = 600;

const canSearch = ({ kind, fault, index: state, index_behind, search_blocks }: NodeReport) =>
  kind === 'RPC' &&
  fault === null &&
  state === 'on' &&
  (search_blocks ?? 0) > 0 &&
  (index_behind ?? 0) <= INDEX_BEHIND_MAX;

const better = (a: NodeReport, b: NodeReport) =>
  Number((a.lag_seconds ?? 0) > LAG_MAX_S) - Number((b.lag_seconds ?? 0) > LAG_MAX_S) ||
  (b.search_blocks ?? 0) - (a.search_blocks ?? 0) ||
  (a.earliest ?? 0) - (b.earliest ?? 0);

const hasStates = (report: NodeReport) => report.height_honoured === true && (report.states ?? 0) > 0;

/** Returns the nodes that suit the records of wallets best: two for searches, and REST endpoints with earlier states. */
export function bestNodes(reports: readonly NodeReport[]): { rpc: NodeReport[]; rest: NodeReport[] } {
  const rest = reports.filter((report) => report.kind === 'REST' && report.fault === null && hasStates(report));
  return { rpc: reports.filter(canSearch).sort(better).slice(0, 2), rest };
}

/**
 * Returns which nodes to set in HUBLEDGER_RPC_URLS and HUBLEDGER_LCD_URLS, as a line for the shell, and what is missing.
 */
export function advice(reports: readonly NodeReport[]): string {
  const { rpc, rest } = bestNodes(reports);
  if (rpc.length === 0) {
    if (reports.some(({ kind, fault }) => kind === 'RPC' && fault === null))
      return 'No node can search. Wallets need one with an index (tx_index "on"); the whole chain can be indexed without.';
    return 'No RPC endpoint can be used. Name other nodes, or check the internet connection of this machine.';
  }
  const lacks = [
    ...(rpc.length === 1 ? ['Add a second node: with one, rows cannot be proved.'] : []),
    ...([...rpc, ...rest].some(hasStates)
      ? []
      : [
          'No state of earlier blocks was found, so what a wallet held before the first block may be computed, not proved.',
        ]),
  ];
  const urls = (list: readonly NodeReport[]) => list.map(({ url }) => url).join();
  const lcd = rest.length > 0 ? ` HUBLEDGER_LCD_URLS=${urls(rest.slice(0, 1))}` : '';
  return [...lacks, `export HUBLEDGER_RPC_URLS=${urls(rpc)}${lcd}`].join('\n');
}
