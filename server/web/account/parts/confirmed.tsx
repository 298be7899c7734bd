/** A button for an irreversible action; a dialog asks for confirmation first. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface ConfirmedProps {
  readonly text: string;
  /** Object of the action; added to the button's text for screen readers only. */
  readonly of: string;
  readonly question: string;
  /** Label of the confirming button. */
  readonly yes: string;
  readonly act: () => unknown;
  readonly children: ComponentChildren;
}

export function Confirmed({ text, of, question, yes, act, children }: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const title = useId();
  const open = () => {
    dialog.current!.showModal();
    cancel.current!.focus(); // Focuses Cancel, so that pressing Enter twice does nothing.
  };
  const close = () => dialog.current!.close();
  return (
    <>
      <button type="button" class="quiet small" onClick={open}>
        {text}
        <span class="whole"> {of}</span>
      </button>
      <dialog ref={dialog} class="confirm" aria-labelledby={title}>
        <h2 id={title}>{question}</h2>
        <div>{children}</div>
        <p class="choices">
          <button
            type="button"
            class="button danger"
            onClick={() => {
              close();
              act();
            }}
          >
            {yes}
          </button>
          <button type="button" class="quiet" ref={cancel} onClick={close}>
            Cancel
          </button>
        </p>
      </dialog>
    </>
  );
}
