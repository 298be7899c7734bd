import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  /** Sets aria-busy while a part of the section is loading. */
  readonly isBusy?: boolean;
  readonly children: ComponentChildren;
}

export const Section = ({ id, title, aside, class: more = '', isBusy = false, children }: SectionProps) => (
  <section id={id} aria-labelledby={`${id}-title`} class={`section ${more}`} aria-busy={isBusy}>
    <header class="section-head">
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {aside}
    </header>
    {children}
  </section>
);
