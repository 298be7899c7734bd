/** The version of this program, as package.json has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../pipeline/config.js';

export const VERSION: string = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')).version;
