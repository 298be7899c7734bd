/** Runs the server in a separate process, for measurement. Argument: <HUBLEDGER_ variables as JSON>. */
import { readConfig } from '../../pipeline/config.js';
import { serve } from '../../server/main.js';
import { reportUsage } from './measured.js';

reportUsage();
await serve(readConfig(JSON.parse(process.argv[2]!)));
