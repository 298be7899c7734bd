/** A run of the indexer that is killed at a given point. Arguments: data directory, `copying` | `copied` | a number of blocks. */
import { truncateSync } from 'node:fs';
import { indexBlocks } from '../../pipeline/chain/index-blocks.js';
import { openDatabase } from '../open-database.js';
import { CHAIN_ID, recording } from './sample.js';

const [dataDir, point] = process.argv.slice(2) as [string, string];
const die = () => process.kill(process.pid, 'SIGKILL');
const database = await openDatabase();
const execute = database.execute.bind(database);
let copies = 0;
database.execute = async (sql, parameters) => {
  await execute(sql, parameters);
  const path = /^copy .* to '([^']+)' \(format parquet/s.exec(sql)?.[1];
  if (path === undefined) return;
  if (++copies === 2 && point === 'copying') truncateSync(path, 1000);
  if (copies === 2 && point.startsWith('cop')) die();
};
await indexBlocks({
  source: recording(),
  database,
  dataDir,
  nodeChainId: CHAIN_ID,
  indexStart: '2025-12-31',
  until: 560,
  onProgress: (done) => {
    if (String(done) === point) die();
  },
});
