/** One night: <HUBLEDGER_ variables as JSON> <last height>. */
import { readConfig } from '../../pipeline/config.js';
import { loggedProgress } from '../../pipeline/progress.js';
import { runNight } from '../../pipeline/run-night.js';
import { reportWork } from './measured.js';

const [variables, until] = process.argv.slice(2) as [string, string];
await reportWork(async () => {
  const options = { until: Number(until), workers: 2 };
  const { height } = await runNight(readConfig(JSON.parse(variables)), options, loggedProgress('silent'));
  return height;
});
