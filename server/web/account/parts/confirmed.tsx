/** A button whose act cannot be taken back: a dialog says what it does before it is done. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface ConfirmedProps {
  /** Text of the button. */
  readonly text: string;
  /** The thing that the act is done to, which readers of the screen hear behind the text. */
  readonly of: string;
  /** The question that the dialog asks. */
  readonly question: string;
  /** Text of the dialog's button that does it. */
  readonly yes: string;
  readonly act: () => unknown;
  /** Words on what will happen. */
  readonly children: ComponentChildren;
}

export function Confirmed({ text, of, question, yes, act, children }: ConfirmedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const title = useId();
  const open = () => {
    dialog.current!.showModal();
    cancel.current!.focus(); // so that Enter twice does nothing
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
