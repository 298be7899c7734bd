/** The endpoints of the tax API. Routes, OpenAPI and llms.txt are generated from these lists. */
import type { Endpoint, ReferenceEndpoint } from '../api/endpoint.js';
import { assetReview } from './asset-review.js';
import { balances } from './balances.js';
import { events } from './events.js';
import { holdings } from './holdings.js';
import { journal } from './journal.js';
import { ownSends } from './own-sends.js';
import { positions } from './positions.js';
import { chainReleases, priceSeries, reviewedDataEndpoints } from './reference.js';
import { restatements } from './restatements.js';
import { rewards } from './rewards.js';
import { summary } from './summary.js';
import { taxYear } from './tax-year.js';
import { transferredBasis } from './transferred-basis.js';
import { jurisdictions, validatorEndpoints } from './validators.js';

export const endpoints: readonly Endpoint[] = [
  events,
  journal,
  positions,
  summary,
  taxYear,
  assetReview,
  ownSends,
  transferredBasis,
  restatements,
  balances,
  holdings,
  rewards,
  priceSeries,
  ...validatorEndpoints,
  chainReleases,
];

/** Endpoints that need no dataset (decision A15). */
export const referenceEndpoints: readonly ReferenceEndpoint[] = [...reviewedDataEndpoints, jurisdictions];
