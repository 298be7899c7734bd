/** Stores replaced values, so that the state can return to an earlier block without a copy of a million delegations. */

interface Restorable {
  restore(key: unknown, value: unknown): void;
}

export class UndoJournal {
  private readonly maps: Restorable[] = [];
  private readonly keys: unknown[] = [];
  private readonly values: unknown[] = [];
  private isRecording = false;
  private forgotten = 0;

  get size(): number {
    return this.maps.length;
  }

  remember(map: Restorable, key: unknown, value: unknown): void {
    if (!this.isRecording) return;
    this.maps.push(map);
    this.keys.push(key);
    this.values.push(value);
  }

  mark(): number {
    this.isRecording = true;
    return this.forgotten + this.maps.length;
  }

  /** Undoes all changes after a mark. */
  undo(mark: number): void {
    while (this.forgotten + this.maps.length > mark) this.maps.pop()!.restore(this.keys.pop(), this.values.pop());
  }

  forget(): void {
    this.isRecording = false;
    this.forgotten = 0;
    for (const list of [this.maps, this.keys, this.values]) list.length = 0;
  }

  /** Drops the changes before a mark. They can no longer be undone. */
  forgetBefore(mark: number): void {
    for (const list of [this.maps, this.keys, this.values]) list.splice(0, mark - this.forgotten);
    this.forgotten = mark;
  }
}

/**
 * A map whose changes can be undone. Its values must be immutable, because the journal stores old values without a
 * copy.
 */
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

  restore(key: Key, value: Value | undefined): void {
    if (value === undefined) super.delete(key);
    else super.set(key, value);
  }
}
