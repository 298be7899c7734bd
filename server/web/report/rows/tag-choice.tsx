/**
 * The choice of a row's tag. Its options are there while it has the focus, which a pointer, a key and a screen reader give it before they
 * open it: those of all rows in view were half of what scrolling renders.
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
