/** A list of entries with headings, facts and buttons, for narrow and wide screens. */
import type { ComponentChildren } from 'preact';

interface EntryProps {
  readonly title: ComponentChildren;
  /** State of the entry, such as "expired". */
  readonly mark?: string | undefined;
  /** One line each. */
  readonly facts: readonly ComponentChildren[];
  readonly buttons?: ComponentChildren;
  readonly children?: ComponentChildren;
}

export const Entries = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <ul class="entries" aria-label={label}>
    {children}
  </ul>
);

export const Entry = ({ title, mark, facts, buttons, children }: EntryProps) => (
  <li class="entry">
    <div class="entry-text">
      <h3>
        {title}
        {mark && <span class="mark">{mark}</span>}
      </h3>
      {facts.map((fact, i) => (
        <p key={i} class="fine">
          {fact}
        </p>
      ))}
    </div>
    {buttons && <div class="choices">{buttons}</div>}
    {children}
  </li>
);
