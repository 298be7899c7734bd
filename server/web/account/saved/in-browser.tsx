/** Tags. Only this browser stores them, never the service. */
import { statements, tag } from '../../state/statements.js';
import { counted } from '../../values/counted.js';
import { Line } from './saved-content.js';

export function InBrowser() {
  const tags = Object.entries(statements.value.tags).flatMap(([address, rows]) =>
    Object.entries(rows).map(([id, name]) => ({ address, id, name })),
  );
  if (tags.length === 0) return <p class="fine">Tags stay in the browser where you set them. This browser has none.</p>;
  return (
    <details class="log">
      <summary>{counted(tags.length, 'tag')} on transactions, stored only in this browser</summary>
      <ul>
        {tags.map((row) => (
          <Line key={row.id} text={`Transaction ${row.id}: ${row.name}`} remove={() => tag([row], '')} />
        ))}
      </ul>
    </details>
  );
}
