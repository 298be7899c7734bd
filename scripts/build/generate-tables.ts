/** Writes the tables that follow from code into the documents. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../pipeline/project.js';
import { DOCUMENT_TABLES, withTables } from './document-tables.js';

for (const table of DOCUMENT_TABLES) {
  const page = join(projectRoot(), table.page);
  writeFileSync(page, withTables(readFileSync(page, 'utf8'), table));
}
