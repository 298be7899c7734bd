/** A list of things with a heading, facts and buttons each, which reads on a phone as on a wide screen. */
import type { ComponentChildren } from 'preact';

interface EntryProps {
  readonly title: ComponentChildren;
  /** A word on the thing's state. */
  readonly mark?: string | undefined;
  /** Facts, a line each. */
  readonly facts: readonly ComponentChildren[];
  readonly buttons?: ComponentChildren;
  /** Further content below the thing. */
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
