import * as client from 'openid-client';
import type { OpenIdSettings } from '../../../pipeline/config.js';
import { Problem } from '../../http/problem.js';
import type { Queries } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

const VISIT_MS = 10 * 60_000;
const PROVIDER_TIMEOUT_SECONDS = 5;

interface Visit {
  readonly location: string;
  readonly state: string;
}

interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/**
 * OpenID sign-in: authorization code flow with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). A cookie also
 * contains the state. So only the browser that started a sign-in can finish it.
 */
export class OpenIdProvider {
  private discovered: Promise<client.Configuration> | undefined;

  constructor(
    private readonly settings: OpenIdSettings,
    private readonly redirectUri: string,
  ) {}

  async begin(store: Queries, now: Date): Promise<Visit> {
    const provider = await this.provider();
    const [state, nonce, codeVerifier] = [newSecret(), newSecret(), client.randomPKCECodeVerifier()];
    const expires = new Date(now.getTime() + VISIT_MS);
    await store.query('visits/add', { hash: hashOf(state), codeVerifier, nonce, expires });
    const location = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.redirectUri,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    });
    return { location: location.href, state };
  }

  async finish(store: Queries, query: string, state: string, now: Date): Promise<Subject> {
    const [visit] = await store.query<{ verifier: string; nonce: string }>('visits/take', { hash: hashOf(state), now });
    if (!visit) throw new Problem('unauthorized', 'no sign-in at the provider is in progress: start again');
    const provider = await this.provider();
    const tokens = await toProblem(
      client.authorizationCodeGrant(provider, new URL(`${this.redirectUri}?${query}`), {
        pkceCodeVerifier: visit.verifier,
        expectedState: state,
        expectedNonce: visit.nonce,
        idTokenExpected: true,
      }),
    );
    const { iss: issuer, sub: subject } = tokens.claims()!;
    return { issuer, subject };
  }

  private provider(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    this.discovered ??= toProblem(
      client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: PROVIDER_TIMEOUT_SECONDS,
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      }),
    ).catch((error) => {
      this.discovered = undefined;
      throw error;
    });
    return this.discovered;
  }
}

/** Converts the provider's errors to problems. Leaves out the error messages, because they may contain secrets. */
async function toProblem<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
      throw new Problem('unauthorized', `the provider refused: ${error.error}`);
    }
    if ((error as { code?: string }).code === 'OAUTH_TIMEOUT') {
      throw new Problem('upstream_timeout', 'the OpenID provider did not answer in time');
    }
    throw new Problem('upstream_error', 'the OpenID provider cannot be reached or sent an invalid answer');
  }
}
