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
          <h3>Your tag</h3>
          <label for="panel-tag" class="fine">
            A tag adds information that only you have. It changes the tax treatment at once.
          </label>
          <TagChoice row={row} id="panel-tag" />
        </section>
      )}
    </Panel>
  );
}
