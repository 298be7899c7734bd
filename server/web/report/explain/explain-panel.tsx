import { Panel } from '../../parts/panel.js';
import { tagsFor } from '../../state/dataset.js';
import type { Row } from '../../state/rows.js';
import { TagChoice } from '../rows/tag-choice.js';
import { BookLines } from './book-lines.js';
import { Happened } from './happened.js';
import { WorthOf } from './worth-of.js';

export function ExplainPanel({ row, close }: { readonly row: Row; readonly close: () => void }) {
  return (
    <Panel title={row.categoryLabel} close={close}>
      <p class="lead">{row.description}</p>
      <Happened row={row} />
      <WorthOf row={row} />
      <BookLines row={row} />
      {tagsFor(row).length > 0 && (
        <section class="panel-part">
          <h3>What it was, in your words</h3>
          <label for="panel-tag" class="fine">
            A tag says what only you know. It changes at once how the row is treated.
          </label>
          <TagChoice row={row} id="panel-tag" />
        </section>
      )}
    </Panel>
  );
}
