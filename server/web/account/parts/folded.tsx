import type { ComponentChildren } from 'preact';

interface FoldedProps {
  readonly title: string;
  readonly submit: () => unknown;
  readonly children: ComponentChildren;
}

export const Folded = ({ title, submit, children }: FoldedProps) => (
  <details class="own-form">
    <summary>{title}</summary>
    <form
      class="group"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {children}
    </form>
  </details>
);
