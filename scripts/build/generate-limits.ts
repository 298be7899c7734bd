/** Writes the tables of limits into docs/security.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';
import { withLimits } from './limits-table.js';

const page = join(projectRoot(), 'docs/security.md');
writeFileSync(page, withLimits(readFileSync(page, 'utf8')));
