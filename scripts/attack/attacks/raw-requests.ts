import { talkRaw } from '../hostile/raw-requests.js';
import type { Attack } from '../suite.js';

const CONVERSATIONS = 100_000;

export const rawRequests: Attack = {
  name: 'raw requests',
  what: `${CONVERSATIONS.toLocaleString('en')} conversations of bytes that are HTTP, nearly HTTP or none of it`,
  isShort: false,
  environment: { HUBLEDGER_LOG_LEVEL: 'error' },
  log: 'kept',
  async run(victim, { random }) {
    const { answers, faults } = await talkRaw(victim.port, CONVERSATIONS, random);
    const [fault = victim.linesWith('"level":50')[0] ?? ''] = faults;
    const lost = `${faults.length} faults in ${answers} answers ${fault.slice(0, 200)}`;
    return { lost, holds: fault === '' && answers > CONVERSATIONS / 2 };
  },
};
