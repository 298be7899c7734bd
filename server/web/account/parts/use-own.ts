/** A list of the account's own things: asked for once, asked for anew after each change, with what went wrong in words. */
import { useEffect, useState } from 'preact/hooks';
import { get, messageOf, Refusal } from '../../api/client.js';
import { goTo } from '../../parts/go-to.js';
import { forgetAccount, isOver } from '../../state/account.js';
import { explain } from '../../values/explain.js';

export interface Own<List> {
  /** Undefined until it is known. */
  readonly list: List | undefined;
  /** Whether the list is asked for, or a change of it is under way. */
  readonly isBusy: boolean;
  /** '' while nothing went wrong. */
  readonly failure: string;
  /** Asks for the list anew. */
  reload(): Promise<void>;
  /** Carries a change out and asks for the list anew. @returns undefined where it failed */
  change<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
  /** Takes an entry away, and with it the button that was pressed: the heading of its section gets the focus. */
  remove(act: () => Promise<unknown>, section: string): Promise<void>;
}

/** @param path of the list */
export function useOwn<List>(path: string): Own<List> {
  const [list, setList] = useState<List>();
  const [failure, setFailure] = useState('');
  const [isBusy, setBusy] = useState(true);
  const refused = (error: unknown) => {
    const problem = error instanceof Refusal ? error.problem : undefined;
    if (isOver(error)) forgetAccount();
    setFailure((problem && explain(problem)) ?? messageOf(error));
    return undefined;
  };
  const reload = async () => {
    setBusy(true);
    await get<List>(path).then(setList, refused);
    setBusy(false);
  };
  useEffect(() => void reload(), [path]);
  const change = async <Value>(act: () => Promise<Value>) => {
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
