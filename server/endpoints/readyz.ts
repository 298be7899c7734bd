import type { Endpoint } from '../endpoint.js';
import { Problem } from '../problem.js';

export const readyz = {
  kind: 'dataset',
  method: 'GET',
  path: '/readyz',
  summary:
    'Whether there is a dataset to answer from, which one, and how old its last block is; 503 also when the server is about to end.',
  parameters: [],
  response: 'readyz',
  policy: 'none',
  problems: [],
  volatile: true,
  admit({ isEnding }) {
    if (isEnding) throw new Problem('unavailable', 'the server is about to end: ask another one');
  },
  handle({ dataset: { generation, height, time, manifest, otherVersions }, now }) {
    const age_seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));
    const { holdings_until } = manifest;
    const replay_in_progress = otherVersions.length > 0;
    return { json: { generation, height, holdings_until, age_seconds, replay_in_progress } };
  },
} satisfies Endpoint;
