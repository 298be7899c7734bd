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
