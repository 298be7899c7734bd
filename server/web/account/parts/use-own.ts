/** Loads a list of the account's entries and reloads it after each change. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, get, messageOf } from '../../api/client.js';
import { goTo } from '../../parts/go-to.js';
import { forgetAccount, isOver } from '../../state/account.js';
import { explain } from '../../values/explain.js';

export interface Own<List> {
  readonly list: List | undefined;
  readonly isBusy: boolean;
  readonly failure: string;
  reload(): Promise<void>;
  /** Applies a change and reloads the list. @returns undefined if it failed */
  change<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
  /** Removes an entry. The focus moves to the section's heading, since the pressed button is gone. */
  remove(act: () => Promise<unknown>, section: string): Promise<void>;
}

export function useAccountList<List>(path: string): Own<List> {
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
