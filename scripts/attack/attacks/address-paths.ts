import { bech32 } from '@scure/base';
import { FakeNode } from '../fake-node.js';
import type { Attack } from '../suite.js';
import { statusOf } from '../visitor.js';

const PREFIXES = ['../../../../cosmos/bank/v1beta1/supply?x=', '..', 'a/b', 'a?b', 'a#b'];

let node: FakeNode | undefined;

export const addressPaths: Attack = {
  name: 'address paths',
  what: "addresses of the operator's own network whose prefixes are paths of its node",
  isShort: true,
  async prepare() {
    node = await FakeNode.start();
    return { HUBLEDGER_NETWORKS: JSON.stringify({ mynet: [node.url] }) };
  },
  async run({ base }) {
    for (const prefix of PREFIXES) {
      const contract = bech32.encode(prefix, bech32.toWords(new Uint8Array(20)), false);
      await statusOf(`${base}/api/v1/query?${new URLSearchParams({ network: 'mynet', contract, query: '{}' })}`);
    }
    const { length } = node!.asked;
    return { lost: `the node was asked for ${length} paths`, holds: length === 0 };
  },
  async end() {
    node?.stop();
  },
};
