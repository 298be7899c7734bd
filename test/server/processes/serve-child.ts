/** The server as a program, configured by its environment. */
import { readConfig } from '../../../pipeline/config.js';
import { serve } from '../../../server/main.js';

await serve(readConfig());
