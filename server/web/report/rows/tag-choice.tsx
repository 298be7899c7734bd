/** The choice of a row's tag. */
import { tagsFor } from '../../state/dataset.js';
import type { Row } from '../../state/rows.js';
import { statements, tag } from '../../state/statements.js';

export function TagChoice({ row, id }: { readonly row: Row; readonly id?: string }) {
  const tags = tagsFor(row);
  if (tags.length === 0) return null;
  return (
    <select
      class="tag"
      {...(id ? { id } : { 'aria-label': `Tag of ${row.label}, ${row.date}` })}
      value={statements.value.tags[row.id] ?? ''}
      onChange={(event) => tag([row.id], event.currentTarget.value)}
    >
      <option value="">No tag</option>
      {tags.map((one) => (
        <option key={one.tag} value={one.tag} title={one.treatment}>
          {one.label}
        </option>
      ))}
    </select>
  );
}
