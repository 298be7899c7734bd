import type { Endpoint } from '../endpoint.js';

export const readyz = {
  kind: 'dataset',
  method: 'GET',
  path: '/readyz',
  summary: 'Whether there is a dataset to answer from, which one, and how old its last block is.',
  parameters: [],
  response: 'readyz',
  policy: 'none',
  problems: [],
  volatile: true,
  handle({ dataset: { generation, height, time, otherVersions }, now }) {
    const age_seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));
    return { json: { generation, height, age_seconds, replay_in_progress: otherVersions.length > 0 } };
  },
} satisfies Endpoint;
