/** The first instants of tax years, at which unclaimed rewards are known. */
import { signal } from '@preact/signals';
import type { Catalog, CatalogEdge } from '../../../schemas/types.generated.js';
import { get } from '../api/client.js';
import { PATHS } from '../api/paths.js';

/** Newest first; empty until the catalog is loaded. */
export const edges = signal<readonly CatalogEdge[]>([]);

get<Catalog>(PATHS.catalog).then(
  (catalog) => {
    edges.value = catalog.edges.toReversed();
  },
  () => undefined, // the field then offers days and times only
);
