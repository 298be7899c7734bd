/** The endpoints of the tax API. Routes, OpenAPI and llms.txt are generated from this list. */
import type { Endpoint } from '../api/endpoint.js';
import { assetReview } from './asset-review.js';
import { balances } from './balances.js';
import { events } from './events.js';
import { journal } from './journal.js';
import { positions } from './positions.js';
import { chainReleases, referenceEndpoints } from './reference.js';
import { restatements } from './restatements.js';
import { summary } from './summary.js';
import { validatorEndpoints } from './validators.js';

export const endpoints: readonly Endpoint[] = [
  events,
  journal,
  positions,
  summary,
  assetReview,
  restatements,
  balances,
  ...referenceEndpoints,
  ...validatorEndpoints,
  chainReleases,
];
