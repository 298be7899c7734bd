/** A real OpenID provider on a loopback port, with its own sign-in pages, and a browser that fills them in. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'hubledger', secret: 'client-secret-0123456789' };

export interface RunningProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** Starts the provider. @param redirectUri the URI that is registered for the client */
export async function startProvider(redirectUri: string): Promise<RunningProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['cookie-secret'] },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
  server.on('request', provider.callback());
  return {
    issuer,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Follows the provider's pages as a person of that name would, who agrees to everything. @returns where it leads back to */
export async function signInAt(location: string, person: string): Promise<URL> {
  const { origin } = new URL(location);
  const cookies = new Map<string, string>();
  const visit = async (url: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(url, origin), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { next: response.headers.get('location'), page: await response.text() };
  };
  let { next, page } = await visit(location);
  for (let steps = 0; steps < 10; steps++) {
    if (next && new URL(next, origin).origin !== origin) return new URL(next);
    if (next) {
      ({ next, page } = await visit(next));
      continue;
    }
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page) ?? [];
    ({ next, page } = await visit(action, { prompt, login: person, password: 'any' }));
  }
  throw new Error(`no way back from ${location}: ${page}`);
}
