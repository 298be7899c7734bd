import type { KnownNetwork } from '../../schemas/types.generated.js';
import { Network } from './network.js';
import { ReplyCache } from './reply-cache.js';
import { ReplyReader } from './upstream.js';

/** Networks of the contract API by name. They come from HUBLEDGER_NETWORKS, or are built in. */
export class Networks {
  readonly answers = new ReplyCache();
  private readonly byName = new Map<string, Network>();

  constructor(
    configured: Readonly<Record<string, readonly string[]>> | undefined,
    private readonly known: readonly KnownNetwork[],
  ) {
    const reader = new ReplyReader();
    const endpoints = configured ?? Object.fromEntries(known.map((network) => [network.name, network.endpoints]));
    for (const [name, urls] of Object.entries(endpoints)) {
      const itsData = known.find((network) => network.name === name || network.aliases.includes(name));
      this.byName.set(name, new Network(name, urls, itsData, reader));
    }
  }

  get names(): string[] {
    return [...this.byName.keys()];
  }

  get(name: string): Network | undefined {
    const network = this.byName.get(name);
    if (network) return network;
    const known = this.known.find(({ aliases, ...its }) => its.name === name || aliases.includes(name));
    return [known?.name, ...(known?.aliases ?? [])].map((other) => this.byName.get(other ?? '')).find(Boolean);
  }

  states(): { readonly name: string; readonly nodes: number; readonly usable: number }[] {
    return [...this.byName.values()].map((network) => ({ name: network.name, ...network.state }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.byName.values()].map((network) => network.close()));
  }
}
