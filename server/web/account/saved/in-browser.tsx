/** Tags, which the service never stores: this browser keeps them. */
import { statements, tag } from '../../state/statements.js';
import { Line } from './saved-content.js';

export function InBrowser() {
  const tags = Object.entries(statements.value.tags);
  if (tags.length === 0)
    return <p class="fine">Tags of rows stay in the browser that you set them in. This one has none.</p>;
  return (
    <details class="log">
      <summary>
        {tags.length} {tags.length === 1 ? 'tag' : 'tags'} of rows, which this browser alone keeps
      </summary>
      <ul>
        {tags.map(([id, name]) => (
          <Line key={id} text={`Row ${id}: ${name}`} remove={() => tag([id], '')} />
        ))}
      </ul>
    </details>
  );
}
