/**
 * A row's tag selector. Options are rendered only while it has the focus; otherwise they were half of all elements
 * rendered while scrolling.
 */
import { useState } from 'preact/hooks';
import { tagsFor } from '../../state/dataset.js';
import type { Row } from '../../state/rows.js';
import { tag, tagOf } from '../../state/statements.js';

export function TagChoice({ row, id }: { readonly row: Row; readonly id?: string }) {
  const [isFocused, setFocused] = useState(false);
  const tags = tagsFor(row);
  if (tags.length === 0) return null;
  const chosen = tagOf(row);
  return (
    <select
      class="tag"
      {...(id ? { id } : { 'aria-label': `Tag of ${row.categoryLabel}, ${row.date}` })}
      value={chosen}
      onPointerDown={() => setFocused(true)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      onChange={(event) => tag([row], event.currentTarget.value)}
    >
      <option value="">No tag</option>
      {tags
        .filter((one) => isFocused || one.tag === chosen)
        .map((one) => (
          <option key={one.tag} value={one.tag} title={one.treatment}>
            {one.label}
          </option>
        ))}
    </select>
  );
}
