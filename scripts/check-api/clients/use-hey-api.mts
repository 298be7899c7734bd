/** Reads a wallet's rows with the client of @hey-api/openapi-ts. */
import { address, baseUrl, expectRefusal, expectRows } from './expected.mjs';
import { client } from './hey-api/client.gen.js';
import type { AssetDecision, Problem } from './hey-api/index.js';
import { assetReview, events, eventsByPost } from './hey-api/index.js';

client.setConfig({ baseUrl });
const { data: review } = await assetReview({ query: { address } });
const { error } = await events({ query: { address } });
const problem: Problem = error!;
expectRefusal(problem, review!.records.length);
const exclude: AssetDecision = { mode: 'exclude' };
const assetDecisions = Object.fromEntries(review!.records.map(({ record_id }) => [record_id, exclude]));
const { data } = await eventsByPost({ body: { address: [address], assetDecisions } });
expectRows(data!.events);
