/**
 * Loads DuckDB's package by `require`. An `import` reads each of its 180 files twice, which takes twice as long and
 * happens in every thread.
 */
import { createRequire } from 'node:module';
import type * as NodeApi from '@duckdb/node-api';

const require = createRequire(import.meta.url);

export const nodeApi = require('@duckdb/node-api') as typeof NodeApi;

// By default, node-api drops a byte order mark at the start of a text. Texts, such as memos, must not change.
require('@duckdb/node-api/lib/vectors/dataAccessors.js').textDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
