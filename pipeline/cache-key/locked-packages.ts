/** Packages as package-lock.json pins them, with all that they depend on. */

interface LockEntry {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Lists one line for each package: its place, version and checksum, sorted.
 * @param names of packages that the program imports
 * @param lockFile text of package-lock.json
 * @throws Error when the lock file does not know one of the names
 */
export function lockedPackages(names: readonly string[], lockFile: string): string[] {
  const { packages } = JSON.parse(lockFile) as { packages: Readonly<Record<string, LockEntry>> };
  const found = new Map<string, string>();
  const visit = (place: string) => {
    if (found.has(place)) return;
    const entry = packages[place]!;
    found.set(place, `${place} ${entry.version} ${entry.integrity ?? ''}`);
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const inner = placeOf(name, place, packages);
      if (inner !== undefined) visit(inner); // an optional one may be locked for no system at all
    }
  };
  for (const name of names) {
    const place = placeOf(name, '', packages);
    if (place === undefined) throw new Error(`package-lock.json does not know ${name}`);
    visit(place);
  }
  return [...found.values()].sort();
}

/** Finds the place of a package as Node.js does for one that is installed at `from`: its own folder first, then those above. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, LockEntry>>): string | undefined {
  for (let folder = from; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
    const cut = folder.lastIndexOf('/node_modules/');
    folder = cut < 0 ? '' : folder.slice(0, cut);
  }
}
