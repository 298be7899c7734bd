/** Reads a wallet's rows with the types of openapi-typescript, with openapi-fetch. */
import createClient from 'openapi-fetch';
import { address, baseUrl, expectRefusal, expectRows } from './expected.mjs';
import type { components, paths } from './openapi-typescript/schema.js';

type AssetDecision = components['schemas']['AssetDecision'];

const client = createClient<paths>({ baseUrl });
const { data: review } = await client.GET('/api/tax/v1/asset-review', { params: { query: { address } } });
const refused = await client.GET('/api/tax/v1/events', { params: { query: { address } } });
const problem: components['schemas']['Problem'] = refused.error!;
expectRefusal(problem, review!.records.length);
const exclude: AssetDecision = { mode: 'exclude' };
const assetDecisions = Object.fromEntries(review!.records.map(({ record_id }) => [record_id, exclude]));
const { data } = await client.POST('/api/tax/v1/events', { body: { address: [address], assetDecisions } });
// The other form of the answer is CSV, which is text.
if (typeof data !== 'object') throw new Error('no JSON');
expectRows(data.events);
