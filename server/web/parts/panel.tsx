/** A side panel. It is a modal dialog, so the browser traps the focus and closes it on Escape. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PanelProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

export function Panel({ title, close, children }: PanelProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} class="panel" aria-labelledby="panel-title" onClose={close}>
      <header class="section-head">
        <h2 id="panel-title">{title}</h2>
        <button type="button" class="quiet small" onClick={() => dialog.current!.close()}>
          Close
        </button>
      </header>
      {children}
    </dialog>
  );
}
