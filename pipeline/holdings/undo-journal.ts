/**
 * Undo journal: what changes have replaced since the oldest mark. The collections of a state that grow with the number of wallets are
 * JournaledMaps, which tell it; so the fold goes back to a block without a copy of a million delegations.
 */

interface Restorable {
  restore(key: unknown, value: unknown): void;
}

export class UndoJournal {
  /** A change each: its map, its key, and the value before; undefined where there was none. */
  private readonly maps: Restorable[] = [];
  private readonly keys: unknown[] = [];
  private readonly values: unknown[] = [];
  private isRecording = false;
  /** Number of changes before these that are forgotten. */
  private forgotten = 0;

  /** Number of changes that are remembered. */
  get size(): number {
    return this.maps.length;
  }

  remember(map: Restorable, key: unknown, value: unknown): void {
    if (!this.isRecording) return;
    this.maps.push(map);
    this.keys.push(key);
    this.values.push(value);
  }

  /** Marks the maps as they are now: what changes from here on is remembered. @returns the number of changes before it */
  mark(): number {
    this.isRecording = true;
    return this.forgotten + this.maps.length;
  }

  /** Takes the maps back to a mark; marks that were made after it are of no use then. */
  undo(mark: number): void {
    while (this.forgotten + this.maps.length > mark) this.maps.pop()!.restore(this.keys.pop(), this.values.pop());
  }

  /** Forgets all marks and what came since: nothing is taken back any more. */
  forget(): void {
    this.isRecording = false;
    this.forgotten = 0;
    for (const list of [this.maps, this.keys, this.values]) list.length = 0;
  }

  /** Forgets what came before a mark: the maps can be taken back to it, and to marks that were made later. */
  forgetBefore(mark: number): void {
    for (const list of [this.maps, this.keys, this.values]) list.splice(0, mark - this.forgotten);
    this.forgotten = mark;
  }
}

/** A map that tells the journal what each change replaces. Its values are not to be changed in place. */
export class JournaledMap<Key, Value> extends Map<Key, Value> {
  constructor(
    readonly journal: UndoJournal,
    entries: Iterable<readonly [Key, Value]> = [],
  ) {
    super();
    for (const [key, value] of entries) super.set(key, value);
  }

  override set(key: Key, value: Value): this {
    this.journal.remember(this, key, this.get(key));
    return super.set(key, value);
  }

  override delete(key: Key): boolean {
    this.journal.remember(this, key, this.get(key));
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  /** Puts back what a change replaced, which is no change itself. */
  restore(key: Key, value: Value | undefined): void {
    if (value === undefined) super.delete(key);
    else super.set(key, value);
  }
}
