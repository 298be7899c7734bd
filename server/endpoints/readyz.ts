import { type Config, readsNode } from '../../pipeline/config.js';
import type { Endpoint } from '../api/endpoint.js';
import { Problem } from '../http/problem.js';
import { ageOf, ageWarning } from '../tax/dataset/age.js';

/** The dataset of a recording is never too old, because no blocks follow. */
export const readyz = (config: Config): Endpoint => ({
  kind: 'dataset',
  method: 'GET',
  path: '/readyz',
  summary:
    'Whether there is a dataset to answer from, which one, and how old its last block is; 503 also when the server is about to end.',
  parameters: [],
  response: 'readyz',
  policy: 'none',
  volatile: true,
  admit({ isEnding }) {
    if (isEnding) throw new Problem('unavailable', 'the server is shutting down: use another one');
  },
  handle({ dataset, now }) {
    const { generation, height, manifest, otherVersions } = dataset;
    const age_seconds = ageOf(dataset, now);
    const { holdings_from, holdings_until } = manifest;
    const replay_in_progress = otherVersions.length > 0;
    const warning = (readsNode(config) && ageWarning(age_seconds)) || null;
    return {
      json: { generation, height, holdings_from, holdings_until, age_seconds, warning, replay_in_progress },
    };
  },
});
