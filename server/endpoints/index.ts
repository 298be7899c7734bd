/** The endpoints of the tax API. Routes, OpenAPI and llms.txt are generated from this list. */
import type { Endpoint } from '../api/endpoint.js';
import { assetReview } from './asset-review.js';
import { balances } from './balances.js';
import { chainReleases } from './chain-releases.js';
import { delegatorReport } from './delegator-report.js';
import { events } from './events.js';
import { journal } from './journal.js';
import { jurisdictions } from './jurisdictions.js';
import { methodology } from './methodology.js';
import { positions } from './positions.js';
import { priceSeries } from './price-series.js';
import { recognitionPolicy } from './recognition-policy.js';
import { summary } from './summary.js';
import { tags } from './tags.js';
import { validatorStatement } from './validator-statement.js';

export const endpoints: readonly Endpoint[] = [
  events,
  journal,
  positions,
  summary,
  assetReview,
  balances,
  priceSeries,
  methodology,
  recognitionPolicy,
  tags,
  validatorStatement,
  delegatorReport,
  jurisdictions,
  chainReleases,
];
