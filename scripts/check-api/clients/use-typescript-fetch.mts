/** Reads a wallet's rows with the client of openapi-generator for fetch. */
import { address, baseUrl, expectRefusal, expectRows } from './expected.mjs';
import type { AssetDecision, Problem } from './typescript-fetch/index.js';
import { Configuration, ProblemFromJSON, ResponseError, TaxApi } from './typescript-fetch/index.js';

const api = new TaxApi(new Configuration({ basePath: baseUrl }));
const { records } = await api.assetReview({ address });
const refused: unknown = await api.events({ address }).catch((error: unknown) => error);
if (!(refused instanceof ResponseError)) throw new Error('not refused');
const problem: Problem = ProblemFromJSON(await refused.response.json());
expectRefusal(problem, records.length);
const exclude: AssetDecision = { mode: 'exclude' };
const assetDecisions = Object.fromEntries(records.map(({ recordId }) => [recordId, exclude]));
const { events } = await api.eventsByPost({ eventsByPostRequest: { address: [address], assetDecisions } });
expectRows(events);
