/**
 * The benchmark of contract queries: a kept answer against Koa stacks that send the same, the time that a missed one adds to the
 * node's own, and the latencies while one node of two is sick. Requests are not counted against a quota.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { median, percentile } from '../measured.js';
import { compareRequest } from '../requests/compare-request.js';
import type { Settings } from '../settings.js';
import type { Measure } from '../table.js';
import { aloneOf, become, type ContractApi, pairOf, SICKNESSES, startApi, WELL } from './contract-api.js';
import type { Sickness } from './node-process.js';

/** Sicknesses that open a circuit. */
const OPENING: ReadonlySet<Sickness> = new Set<Sickness>(['dead', 'malformed', 'limiting requests']);
/** Time between two queries while a node is sick. */
const PAUSE_MS = 5;
const RUNS_MIN = 10;

/** Repeats the work for some milliseconds, and a few times at least. */
async function repeat(milliseconds: number, work: () => Promise<void>): Promise<void> {
  const end = performance.now() + milliseconds;
  for (let i = 0; i < RUNS_MIN || performance.now() < end; i++) await work();
}

async function measureMisses(api: ContractApi, { rounds, milliseconds }: Settings): Promise<Measure[]> {
  const node = api.nodes[await api.favourite(WELL)]!;
  const [missed, direct]: [number[], number[]] = [[], []];
  await repeat((rounds * milliseconds) / 2, async () => {
    missed.push(await api.query(WELL));
    direct.push(await api.direct(node));
  });
  const [figure, least] = [median(missed), median(direct)];
  return [
    {
      what: 'contract query, missed, median',
      figure,
      unit: 'ms',
      against: [{ what: 'the node itself', figure: least }],
    },
    { what: 'contract query, a miss adds', figure: figure - least, unit: 'ms' },
  ];
}

/** Measures the milliseconds of queries in a row, none of which is answered by the sick node. */
async function latencies(api: ContractApi, { milliseconds }: Settings, sickness?: Sickness): Promise<number[]> {
  const network = sickness ? pairOf(sickness) : WELL;
  // No node changes its chain: this one is wrong from the first query on, which the first of the two is asked.
  const sick = sickness === 'of another chain' ? 0 : await api.favourite(network);
  if (sickness) await become(api.nodes[sick]!, sickness);
  const took: number[] = [];
  await repeat(milliseconds, async () => {
    took.push(await api.query(network, sickness && api.nodes[sick]));
    if (sickness && OPENING.has(sickness)) await api.isAnswered(aloneOf(sickness, sick));
    await wait(PAUSE_MS);
  });
  return took;
}

async function recovery(api: ContractApi, sickness: Sickness): Promise<Measure[]> {
  await Promise.all(api.nodes.map((node) => become(node)));
  if (!OPENING.has(sickness)) return [];
  const began = performance.now();
  const answered = () => Promise.all(api.nodes.map((_node, i) => api.isAnswered(aloneOf(sickness, i))));
  while (!(await answered()).every(Boolean)) await wait(PAUSE_MS);
  return [{ what: `node well again after ${sickness}, circuit closes`, figure: performance.now() - began, unit: 'ms' }];
}

async function measureSicknesses(api: ContractApi, settings: Settings): Promise<Measure[]> {
  const well = await latencies(api, settings);
  const measures: Measure[] = [];
  for (const sickness of SICKNESSES) {
    const took = await latencies(api, settings, sickness);
    const of = (name: string, part: number): Measure => ({
      what: `contract query, one node of two ${sickness}, ${name}`,
      figure: percentile(took, part),
      unit: 'ms',
      against: [{ what: 'both well', figure: percentile(well, part) }],
    });
    measures.push(of('median', 0.5), of('p99', 0.99), ...(await recovery(api, sickness)));
  }
  return measures;
}

/** Measures contract queries on a server with two nodes. */
export async function measureContractQueries(settings: Settings, dataDir: string): Promise<Measure[]> {
  const api = await startApi(settings, dataDir);
  try {
    const shorter = { ...settings, milliseconds: settings.milliseconds / 2 };
    const { pathname, search } = new URL(api.url(WELL));
    const kept = pathname + search;
    return [
      ...(await measureMisses(api, settings)),
      ...(await measureSicknesses(api, settings)),
      // This comparison comes last, when the server is warm.
      await compareRequest(shorter, api.server, { what: 'contract query, kept', path: () => kept }),
    ];
  } finally {
    await api.close();
  }
}
