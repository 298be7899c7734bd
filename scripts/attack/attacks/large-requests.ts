import { chooseWallets } from '../../bench/wallets.js';
import { requestsElsewhere } from '../hostile/elsewhere.js';
import { oddBodies } from '../hostile/forms.js';
import { EVENTS, type HostileRequest, type Wallets } from '../hostile/request.js';
import { savingRequests, statingRequests } from '../hostile/statements.js';
import type { Attack } from '../suite.js';
import type { Victim } from '../victim.js';
import { signedIn, statusOf, strangeAddress } from '../visitor.js';

/** Milliseconds of the processor that one request may take before others get their turn. */
const TURN_MS_MAX = 50;
const WALLETS = 50;
const ATTEMPTS = 3;

let largest = '';
let many: readonly string[] = [];

/** Rows of the largest wallet that received coins, as the server lists them. */
async function receivingRows({ base }: Victim): Promise<Wallets['rows']> {
  const answer = await fetch(`${base}${EVENTS}?address=${largest}`);
  const { events } = (await answer.json()) as { events: (Wallets['rows'][number] & { receivedDenom: string })[] };
  return events.filter(({ receivedDenom }) => receivedDenom !== '');
}

async function allRequests(victim: Victim, stranger: () => string): Promise<HostileRequest[]> {
  const wallets = { largest, many, rows: await receivingRows(victim) };
  return [
    ...statingRequests(wallets, Array.from({ length: WALLETS }, stranger)),
    ...savingRequests(wallets),
    ...oddBodies(stranger()),
    ...requestsElsewhere(stranger()),
  ];
}

/** Sends a request, again where its turn was long: what the machine did beside it is not as long each time. */
async function longestTurn(victim: Victim, request: HostileRequest, session: Readonly<Record<string, string>>) {
  const { path, headers, ...rest } = request;
  const sent = { ...rest, headers: { 'content-type': 'application/json', ...session, ...headers } };
  let status = 0;
  let ms = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ATTEMPTS && ms > TURN_MS_MAX; i++) {
    await victim.longestTurn();
    status = await statusOf(victim.base + path, sent);
    ms = Math.min(ms, await victim.longestTurn());
  }
  return { status, ms };
}

export const largeRequests: Attack = {
  name: 'large requests',
  what: 'the largest bodies, queries and headers of every kind, right and wrong, one by one',
  isShort: false,
  async prepare({ dataDir }) {
    const { all } = await chooseWallets(dataDir);
    many = all.slice(-WALLETS).map(({ address }) => address);
    largest = many.at(-1)!;
    return {};
  },
  async run(victim, { random }) {
    const session = await signedIn(victim, random);
    let worst = { name: '', ms: 0 };
    const broken: string[] = [];
    for (const request of await allRequests(victim, () => strangeAddress(random))) {
      const { status, ms } = await longestTurn(victim, request, session);
      if (status === 0 || status === 500) broken.push(request.name);
      if (ms > worst.ms) worst = { name: request.name, ms };
    }
    const lost = `a turn of ${Math.round(worst.ms)} ms (${worst.name}), ${broken.length} broken ${broken[0] ?? ''}`;
    return { lost, holds: worst.ms <= TURN_MS_MAX && broken.length === 0 };
  },
};
