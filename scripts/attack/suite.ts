/** Attacks on the running software: what one is, and what a run of it shows. Everything stays on loopback, and all but the raw requests end within a minute. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from './place.js';
import { startProbe } from './probe.js';
import type { Seeded } from './seeded.js';
import { type Log, Victim } from './victim.js';
import { posting, statusOf, strangeAddress } from './visitor.js';

export interface Finding {
  /** Losses of others, in a few words. */
  readonly lost: string;
  /** Whether nobody else noticed. */
  readonly holds: boolean;
}

export interface Attack {
  readonly name: string;
  /** The attack in one line. */
  readonly what: string;
  /** Whether it is in the short form, which takes a few seconds an attack. */
  readonly isShort: boolean;
  /** HUBLEDGER_ variables of the server; quotas are off unless they set them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Destination of the server's log. */
  readonly log?: Log;
  /** Milliseconds that a stall and a turn may have, and the factor by which memory may grow, where they are not the usual ones. */
  readonly bounds?: Partial<Bounds>;
  /** Set where nights must fetch blocks anew, which no node but the one of the bundled sample is there for: other datasets are not attacked. */
  readonly needsSample?: true;
  /** Set where the attack itself ends the server. */
  readonly mayEnd?: true;
  /** Prepares the copy, and gives further variables. */
  prepare?(place: Place): Promise<Readonly<Record<string, string>>>;
  run(victim: Victim, place: Place): Promise<Finding>;
  /** Ends what `prepare` started. */
  end?(): Promise<void>;
}

/** Bounds of a regression, not of a good service: machines that run this are slow and shared. Turns count processor time, stalls do not. */
interface Bounds {
  readonly stallMs: number;
  readonly turnMs: number;
  /** Resident memory beyond what is served at the same moment, as a multiple of the memory before the attack. */
  readonly growth: number;
  readonly endMs: number;
}
const BOUNDS: Bounds = { stallMs: 10_000, turnMs: 500, growth: 1.5, endMs: 12_000 };

export interface Outcome extends Finding {
  readonly name: string;
  /** Slowest answer of /healthz meanwhile, and the one that 99 of 100 stay below, in milliseconds. */
  readonly stallMs: number;
  readonly p99Ms: number;
  /** Processor time of the longest turn of the server's event loop, in milliseconds: what others wait for on a machine of its own. */
  readonly turnMs: number;
  /** Resident megabytes before the attack; at the most beyond what was served at the same moment; and those that were served then. */
  readonly idleMb: number;
  readonly ownMb: number;
  readonly servedMb: number;
  /** Milliseconds from SIGTERM to the end. */
  readonly endMs: number;
}

const NOTHING_SEEN = { stallMs: 0, p99Ms: 0, turnMs: 0, idleMb: 0, ownMb: 0, servedMb: 0, endMs: 0 };

/** Options of attacks. */
export interface Means {
  readonly program: string;
  readonly random: Seeded;
  /** A data folder, of which a copy is attacked. */
  readonly dataset: string;
  /** Bounds in place of the usual ones. */
  readonly bounds: Partial<Bounds>;
}

/** Carries out one attack on a server of its own. */
export async function carryOut(attack: Attack, { program, random, dataset, bounds }: Means): Promise<Outcome> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hubledger-attack-'));
  cpSync(dataset, dataDir, { recursive: true });
  const place = { program, dataDir, random };
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

/** Attacks a server that runs, and ends it. */
async function attackRunning(attack: Attack, victim: Victim, place: Place, bounds: Bounds): Promise<Outcome> {
  // The store opens meanwhile, which is no part of the attack.
  await statusOf(`${victim.base}/api/account/v1/sign-in/challenge`, posting({ address: strangeAddress(place.random) }));
  const idleMb = victim.residentMb();
  await victim.forgetObserved();
  const probe = startProbe(victim.base);
  const finding = await attack.run(victim, place).catch((error) => ({ holds: false, lost: String(error) }));
  const waits = await probe.stop();
  const { turnMs, memory } = await victim.worstObserved();
  const isGone = !victim.isRunning;
  const endMs = await victim.end();
  const isWithin =
    waits.stallMs <= bounds.stallMs &&
    turnMs <= bounds.turnMs &&
    memory.ownMb <= bounds.growth * idleMb &&
    endMs <= bounds.endMs &&
    (attack.mayEnd === true || !isGone);
  const { lost, holds } = finding;
  return { name: attack.name, ...waits, turnMs, idleMb, ...memory, endMs, lost, holds: holds && isWithin };
}
