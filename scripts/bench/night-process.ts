/**
 * Runs one nightly run in a separate process, for measurement. Arguments: <HUBLEDGER_ variables as JSON> <last height>.
 */
import { readConfig } from '../../pipeline/config.js';
import { USUAL_WORKERS } from '../../pipeline/night/jobs/thread-pool.js';
import { loggedProgress } from '../../pipeline/night/progress.js';
import { runNight } from '../../pipeline/run-night.js';
import { reportWork } from './measured.js';

const [variables, until] = process.argv.slice(2) as [string, string];
await reportWork(async () => {
  const options = { until: Number(until), workers: USUAL_WORKERS };
  const { height } = await runNight(readConfig(JSON.parse(variables)), options, loggedProgress('silent'));
  return height;
});
