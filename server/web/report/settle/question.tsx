import type { ComponentChildren } from 'preact';
import { goTo } from '../../parts/go-to.js';

interface QuestionProps {
  readonly id: string;
  readonly title: string;
  readonly left: number;
  /** Whether it is expanded initially. */
  readonly isFirst: boolean;
  readonly children: ComponentChildren;
}

export const Question = ({ id, title, left, isFirst, children }: QuestionProps) => (
  <details class="question" open={isFirst}>
    <summary id={id}>
      <h3>{title}</h3>
      <span class={`count ${left === 0 ? 'done' : ''}`}>{left === 0 ? 'settled' : `${left} open`}</span>
    </summary>
    <div class="question-body">{children}</div>
  </details>
);

/** Expands the first of these questions that is shown, and scrolls to it. */
export function openQuestion(...ids: readonly string[]): void {
  const id = ids.find((one) => document.getElementById(one)) ?? 'settle-title';
  const question = document.getElementById(id)?.parentElement;
  if (question instanceof HTMLDetailsElement) question.open = true;
  goTo(id);
}
