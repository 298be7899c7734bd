/** Components that several sections of the account page share. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, get, messageOf, post } from '../api/client.js';
import { goTo, Moment } from '../parts.js';
import { forgetAccount, isOver } from '../state/account.js';
import { explain } from './words.js';

interface AccountList<List> {
  readonly list: List | undefined;
  readonly isBusy: boolean;
  readonly failure: string;
  reload(): Promise<void>;
  /**
   * Sends a change to the server, then reloads the list.
   * @returns undefined if the change failed
   */
  change<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
  /** Removes an entry of the list. The focus moves to the section's heading, because the pressed button disappears. */
  remove(act: () => Promise<unknown>, section: string): Promise<void>;
}

/** Loads a list, such as the account's keys, and reloads it after each change. */
/** @param body body of the request if the list is read by POST; must not change between renders */
export function useAccountList<List>(path: string, body?: object): AccountList<List> {
  const [list, setList] = useState<List>();
  const [failure, setFailure] = useState('');
  const [isBusy, setBusy] = useState(true);
  const refused = (error: unknown) => {
    const problem = error instanceof ApiError ? error.problem : undefined;
    if (isOver(error)) forgetAccount();
    setFailure((problem && explain(problem)) ?? messageOf(error));
    return undefined;
  };
  const reload = async () => {
    setBusy(true);
    await (body ? post<List>(path, body) : get<List>(path)).then(setList, refused);
    setBusy(false);
  };
  useEffect(() => void reload(), [path]);
  const change = async <Value,>(act: () => Promise<Value>) => {
    setFailure('');
    setBusy(true);
    const value = await act().catch(refused);
    await reload();
    return value;
  };
  const remove = async (act: () => Promise<unknown>, section: string) => {
    await change(act);
    goTo(`${section}-title`);
  };
  return { list, isBusy, failure, reload, change, remove };
}

/** Keeps a newly created secret on screen until the user dismisses it. The API returns a secret only once. */
export function useSecret<Made>({ change }: Pick<AccountList<unknown>, 'change'>) {
  const [made, setMade] = useState<Made>();
  const hide = () => setMade(undefined);
  const make = async (act: () => Promise<Made>) => {
    hide();
    const value = await change(act);
    setMade(value);
    return value !== undefined;
  };
  return { made, make, hide };
}

/**
 * Shows an error message and scrolls it into view. Screen readers announce it. Renders nothing if the text is empty.
 */
export function Failure({ text }: { readonly text: string }) {
  const notice = useRef<HTMLParagraphElement>(null);
  // Focuses the message before the user can type: a later focus would take keys from the next field.
  useLayoutEffect(() => notice.current?.focus(), [text]);
  if (text === '') return null;
  return (
    <p ref={notice} class="notice bad" role="alert" tabIndex={-1}>
      {text}
    </p>
  );
}

interface EntryProps {
  readonly title: ComponentChildren;
  readonly mark?: string | undefined;
  /** Details of the entry, shown one per line. */
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

interface FoldedProps {
  readonly title: string;
  readonly submit: () => unknown;
  readonly children: ComponentChildren;
}

export const Folded = ({ title, submit, children }: FoldedProps) => (
  <details class="list-form">
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

interface ConfirmedProps {
  readonly text: string;
  /** Name of the entry to delete. Screen readers read it after the button's label. */
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
    cancel.current!.focus(); // Focuses Cancel, so that pressing Enter twice changes nothing.
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

interface SecretProps {
  readonly children: ComponentChildren;
  readonly value: string;
}

/** Shows a secret, with a copy button. The secret cannot be shown again later. */
export function Secret({ children, value }: SecretProps) {
  const [isCopied, setCopied] = useState(false);
  const text = useRef<HTMLElement>(null);
  const notice = useRef<HTMLDivElement>(null);
  // Focuses the notice, because the dialog or form that had the focus has closed.
  useLayoutEffect(() => notice.current!.focus(), []);
  useEffect(() => setCopied(false), [value]);
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => getSelection()?.selectAllChildren(text.current!),
    );
  return (
    <div ref={notice} class="notice" role="status" tabIndex={-1}>
      <p>{children} Copy it now: it is shown this once.</p>
      <p>
        <code ref={text} class="secret">
          {value}
        </code>
      </p>
      <p>
        <button type="button" class="quiet small" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </p>
    </div>
  );
}

interface ChoicesProps<Name extends string> {
  readonly legend: string;
  readonly offered: readonly Name[];
  readonly chosen: readonly Name[];
  readonly choose: (names: Name[]) => void;
  readonly wordsOf: (name: Name) => string;
}

/** Shows checkboxes for names of the API, each with its words. */
export function Choices<Name extends string>({ legend, offered, chosen, choose, wordsOf }: ChoicesProps<Name>) {
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {offered.map((name) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              choose(checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          <span>
            {wordsOf(name)} <code>{name}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface WhenProps {
  readonly value: string;
  readonly withTime?: boolean;
}

/** Shows a time in readable form, with the exact time in a tooltip. @param value RFC 3339 in UTC */
export const When = ({ value, withTime = false }: WhenProps) => (
  <Moment value={value.slice(0, 19).replace('T', ' ')} withTime={withTime} />
);
