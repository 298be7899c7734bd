import { spawnSync } from 'node:child_process';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Place } from '../place.js';
import type { Attack } from '../suite.js';
import { assignments, Victim } from '../victim.js';
import { statusOf } from '../visitor.js';

/** Files of which the first one is cut to half. */
const CUT = [/^CURRENT$/, /^generations\/.*manifest\.json$/, /^raw\/.*\.parquet$/, /^classified\/.*\.parquet$/];
/** Words by which a night tells what it makes anew. */
const NAMED = ['this generation was damaged', 'raw blocks is damaged', 'classified rows are damaged'];
const READS = 10;
const WATCHED_S = 60;
const END_MS_MAX = 12_000;

function cutHalf({ dataDir }: Place): void {
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort();
  for (const pattern of CUT) {
    const file = join(dataDir, files.find((name) => pattern.test(name))!);
    truncateSync(file, statSync(file).size >> 1);
  }
}

const read = ({ base }: Victim) => statusOf(`${base}/api/tax/v1/catalog`);

/** Runs a night, and another one where that has only set aside what it found. @returns what they say */
function runNights({ program, dataDir }: Place): string {
  const words = [...assignments({ dataDir }), process.execPath, program, 'nightly'];
  const night = () => spawnSync('env', words, { encoding: 'utf8' });
  const { status, stdout, stderr } = night();
  return stdout + stderr + (status === 0 ? '' : night().stdout);
}

/** Asks a server that had nothing to serve until it has. @returns its last status */
async function readAgain(server: Victim): Promise<number> {
  let status = 0;
  for (let second = 0; second < WATCHED_S && status !== 200; second++) {
    status = await read(server);
    if (status !== 200) await wait(1000);
  }
  return status;
}

export const cutFiles: Attack = {
  name: 'cut files',
  what: 'of the sample, CURRENT, the manifest, raw blocks and classified rows were cut to half, under a server and before another one',
  isShort: false,
  needsSample: true,
  async run(victim, place) {
    cutHalf(place);
    let refused = 0;
    for (let i = 0; i < READS; i++) if ((await read(victim)) !== 200) refused++;
    const late = await Victim.start(place, {}, 'kept');
    await read(late);
    const said = runNights(place);
    const status = await readAgain(late);
    const told = late.linesWith('generation cannot be opened').length;
    const unnamed = NAMED.filter((words) => !said.includes(words)).length;
    const endMs = await late.end();
    const lost = `${refused} of ${READS} reads, ${status} after the night, ${told} line at the start, ${unnamed} files unnamed`;
    return { lost, holds: refused + unnamed === 0 && status === 200 && told === 1 && endMs < END_MS_MAX };
  },
};
