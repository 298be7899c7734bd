import type { ComponentChildren } from 'preact';
import { goTo } from '../../parts.js';
import { isDay } from '../../values/dates.js';

interface QuestionProps {
  readonly id: string;
  readonly title: string;
  readonly left: number;
  /** Whether the question is expanded at first. */
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

/** Expands the first question that is shown, and scrolls to it. */
export function openQuestion(...ids: readonly string[]): void {
  const id = ids.find((one) => document.getElementById(one)) ?? 'settle-title';
  const question = document.getElementById(id)?.parentElement;
  if (question instanceof HTMLDetailsElement) question.open = true;
  goTo(id);
}

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly type?: 'text' | 'date';
  readonly change: (value: string) => void;
}

export const TextField = ({ id, label, hint, value, fault, type = 'text', change }: TextFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      type={type as 'text'}
      {...(type === 'text' && { inputMode: 'decimal' as const })}
      autocomplete="off"
      value={value}
      aria-invalid={fault !== undefined}
      aria-describedby={`${id}-hint`}
      onInput={(event) => change(event.currentTarget.value)}
    />
    <p id={`${id}-hint`} class={fault ? 'hint fault' : 'hint'}>
      {fault ?? hint}
    </p>
  </div>
);

/** @param latest last valid day: the day of the receipt */
export const faultOfDay = (day: string, latest: string): string | undefined => {
  if (day === '') return undefined;
  if (!isDay(day)) return 'A day such as 2024-05-31';
  return day > latest ? `Not after ${latest}` : undefined;
};
