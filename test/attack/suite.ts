/** Attacks on a running server: their definition and their result. Everything stays on loopback. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProbe } from './probe.js';
import { type Log, Victim } from './victim.js';
import { posting, type Seeded, statusOf, strangeAddress } from './visitor.js';

/** The place of an attack before its server runs. */
export interface Place {
  /** The program under attack, `hubledger.js`. */
  readonly program: string;
  /** A copy of the dataset; the attack may damage it. */
  readonly dataDir: string;
  readonly random: Seeded;
  /** True in the short form, in which an attack takes seconds. */
  readonly isShort: boolean;
}

export interface Finding {
  /** What other clients lose, in a few words. */
  readonly lost: string;
  /** True if other clients noticed nothing. */
  readonly holds: boolean;
}

export interface Attack {
  readonly name: string;
  /** In one line. */
  readonly what: string;
  /** Part of the short form; takes a few seconds. */
  readonly isShort: boolean;
  /** HUBLEDGER_ variables of the server. Quotas are off by default. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Log;
  readonly bounds?: Partial<Bounds>;
  /** Set if nights must fetch blocks: only the bundled sample has a node. */
  readonly needsSample?: true;
  /** Set if the attack itself ends the server. */
  readonly mayEnd?: true;
  /** Prepares the copy and returns further variables. */
  prepare?(place: Place): Promise<Readonly<Record<string, string>>>;
  run(victim: Victim, place: Place): Promise<Finding>;
  /** Ends what `prepare` started. */
  end?(): Promise<void>;
}

/** Bounds of a regression, not of a good service: the machines are slow and shared. */
interface Bounds {
  readonly stallMs: number;
  /** CPU time. */
  readonly turnMs: number;
  /** Resident memory without the bytes being served, as a multiple of the memory before the attack. */
  readonly growth: number;
  readonly endMs: number;
}
const BOUNDS: Bounds = { stallMs: 10_000, turnMs: 500, growth: 1.5, endMs: 12_000 };

export interface Outcome extends Finding {
  readonly name: string;
  /** Slowest answer of /healthz during the attack, and its 99th percentile. */
  readonly stallMs: number;
  readonly p99Ms: number;
  /** CPU time of the longest turn of the server's event loop. */
  readonly turnMs: number;
  /** Resident megabytes before the attack, their peak without the bytes being served, and the megabytes served at the peak. */
  readonly idleMb: number;
  readonly ownMb: number;
  readonly servedMb: number;
  /** From SIGINT to the end. */
  readonly endMs: number;
}

const NOTHING_SEEN = { stallMs: 0, p99Ms: 0, turnMs: 0, idleMb: 0, ownMb: 0, servedMb: 0, endMs: 0 };

interface Means {
  readonly program: string;
  readonly random: Seeded;
  readonly isShort: boolean;
  /** A data folder; a copy of it is attacked. */
  readonly dataset: string;
  /** Override the default bounds. */
  readonly bounds: Partial<Bounds>;
}

/** Carries out one attack on its own server. */
export async function carryOut(attack: Attack, { program, random, isShort, dataset, bounds }: Means): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-attack-'));
  cpSync(dataset, dataDir, { recursive: true });
  const place = { program, dataDir, random, isShort };
  try {
    const more = await attack.prepare?.(place);
    const victim = await Victim.start(place, { ...attack.environment, ...more }, attack.log);
    return await attackRunning(attack, victim, place, { ...BOUNDS, ...bounds, ...attack.bounds });
  } catch (error) {
    return { ...NOTHING_SEEN, name: attack.name, holds: false, lost: String(error) };
  } finally {
    await attack.end?.();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Attacks a running server, then ends it. */
async function attackRunning(attack: Attack, victim: Victim, place: Place, bounds: Bounds): Promise<Outcome> {
  // The store opens here, before the attack.
  await statusOf(`${victim.base}/api/account/v1/sign-in/challenge`, posting({ address: strangeAddress(place.random) }));
  const idleMb = victim.residentMb();
  await victim.forgetObserved();
  const probe = startProbe(victim.base);
  const finding = await attack.run(victim, place).catch((error) => ({ holds: false, lost: String(error) }));
  const { stallMs, p99Ms } = await probe.stop();
  const { turnMs, memory } = await victim.worstObserved();
  const isGone = !victim.isRunning;
  const endMs = await victim.end();
  const isWithin =
    stallMs <= bounds.stallMs &&
    turnMs <= bounds.turnMs &&
    memory.ownMb <= bounds.growth * idleMb &&
    endMs <= bounds.endMs &&
    (attack.mayEnd === true || !isGone);
  const { lost, holds } = finding;
  return { name: attack.name, stallMs, p99Ms, turnMs, idleMb, ...memory, endMs, lost, holds: holds && isWithin };
}
