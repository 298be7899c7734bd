/** A list of the account's own things: asked for once, asked for anew after each change, with what went wrong in words. */
import { useEffect, useState } from 'preact/hooks';
import { get, messageOf, Refusal } from '../../api/client.js';
import { forgetAccount } from '../../state/account.js';

export interface Own<List> {
  /** Undefined until it is known. */
  readonly list: List | undefined;
  /** '' while nothing went wrong. */
  readonly failure: string;
  /** Carries a change out and asks for the list anew. @returns undefined where it failed */
  change<Value>(act: () => Promise<Value>): Promise<Value | undefined>;
}

/** @param path of the list */
export function useOwn<List>(path: string): Own<List> {
  const [list, setList] = useState<List>();
  const [failure, setFailure] = useState('');
  const refused = (error: unknown) => {
    if (error instanceof Refusal && error.problem?.code === 'unauthorized') forgetAccount();
    setFailure(messageOf(error));
    return undefined;
  };
  const load = () => get<List>(path).then(setList, refused);
  useEffect(() => void load(), [path]);
  const change = async <Value>(act: () => Promise<Value>) => {
    setFailure('');
    const value = await act().catch(refused);
    await load();
    return value;
  };
  return { list, failure, change };
}
