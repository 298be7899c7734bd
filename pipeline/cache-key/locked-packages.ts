interface LockEntry {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Lists path, version and checksum of packages and their dependencies, sorted.
 * @param lockFile text of package-lock.json
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
      if (inner !== undefined) visit(inner); // an optional dependency may be missing
    }
  };
  for (const name of names) {
    const place = placeOf(name, '', packages);
    if (place === undefined) throw new Error(`package-lock.json does not contain ${name}`);
    visit(place);
  }
  return [...found.values()].sort();
}

/** Resolves a package like Node.js: from the `from` folder upwards. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, LockEntry>>): string | undefined {
  for (let folder = from; ; ) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
    const cut = folder.lastIndexOf('/node_modules/');
    folder = cut < 0 ? '' : folder.slice(0, cut);
  }
}
