import { bech32 } from '@scure/base';
import { FakeNode } from '../fake-node.js';
import type { Attack } from '../suite.js';
import { statusOf } from '../visitor.js';

const ROUNDS = 14;
const TOGETHER = 6;
const OTHERS = 484;
const CONTRACT = bech32.encode('cosmos', bech32.toWords(new Uint8Array(32).fill(7)), false);

let nodes: FakeNode[] = [];

export const oddQuestions: Attack = {
  name: 'odd questions',
  what: `${ROUNDS * TOGETHER} questions too long for the nodes' gateways, six at a time, beside ${OTHERS} plain ones`,
  isShort: true,
  async prepare() {
    nodes = [await FakeNode.start(), await FakeNode.start()];
    return { HUBLEDGER_NETWORKS: JSON.stringify({ mainnet: nodes.map(({ url }) => url) }) };
  },
  async run({ base }) {
    const ask = (message: string) => {
      const query = new URLSearchParams({ network: 'mainnet', contract: CONTRACT, query: message });
      return statusOf(`${base}/api/v1/query?${query}`);
    };
    const plain: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const long = Array.from({ length: TOGETHER }, (_, i) => ask(`{"a":"${'x'.repeat(9000)}${round}.${i}"}`));
      await Promise.all(long);
      while (plain.length < (OTHERS * round) / ROUNDS) plain.push(await ask(`{"plain":${plain.length}}`));
    }
    const refused = plain.filter((status) => status !== 200).length;
    return { lost: `${refused} of ${OTHERS} others refused`, holds: refused === 0 };
  },
  async end() {
    for (const node of nodes) node.stop();
  },
};
