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
  handle({ dataset: { generation, height, time, manifest, otherVersions }, now }) {
    const age_seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(time)) / 1000));
    const { holdings_until } = manifest;
    const replay_in_progress = otherVersions.length > 0;
    return { json: { generation, height, holdings_until, age_seconds, replay_in_progress } };
  },
} satisfies Endpoint;
