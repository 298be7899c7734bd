/**
 * Sign-in at an OpenID provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, RFC 7636). A visit that begins in
 * one browser ends in that one: its state is also in a cookie.
 */
import * as client from 'openid-client';
import type { OpenIdSettings } from '../../pipeline/config.js';
import { Problem } from '../problem.js';
import type { Queries } from '../store/store.js';
import { hashOf, newSecret } from './secrets.js';

const LIFETIME_MS = 10 * 60_000;
const TIMEOUT_SECONDS = 5;

export interface Visit {
  /** URL of the provider that the browser goes to. */
  readonly location: string;
  readonly state: string;
}

/** The subject of an ID token: the person who came back, as the provider names them. */
export interface Subject {
  readonly issuer: string;
  readonly subject: string;
}

/** The OpenID provider of a service: its configuration, and the visits of browsers there. */
export class OpenIdProvider {
  private discovered: Promise<client.Configuration> | undefined;

  /** @param redirectUri where the provider sends browsers back to */
  constructor(
    private readonly settings: OpenIdSettings,
    private readonly redirectUri: string,
  ) {}

  /** Begins a visit. @throws Problem upstream_error, upstream_timeout */
  async begin(store: Queries, now: Date): Promise<Visit> {
    const provider = await this.provider();
    const [state, nonce, codeVerifier] = [newSecret(), newSecret(), client.randomPKCECodeVerifier()];
    const expires = new Date(now.getTime() + LIFETIME_MS);
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

  /**
   * Ends a visit, whatever comes of it.
   * @param query of the request with which the browser came back
   * @param state of this browser's visit
   * @throws Problem unauthorized, upstream_error, upstream_timeout
   */
  async finish(store: Queries, query: string, state: string, now: Date): Promise<Subject> {
    const [visit] = await store.query<{ verifier: string; nonce: string }>('visits/take', { hash: hashOf(state), now });
    if (!visit) throw new Problem('unauthorized', 'no visit to the provider is under way: begin again');
    const provider = await this.provider();
    const tokens = await asked(
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

  /** The provider's configuration, asked for once, and again after a failure. */
  private provider(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    this.discovered ??= asked(
      client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: TIMEOUT_SECONDS,
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      }),
    ).catch((error) => {
      this.discovered = undefined;
      throw error;
    });
    return this.discovered;
  }
}

/** Turns a failure at the provider into a problem. Its reasons stay here: they may quote what was sent. */
async function asked<Result>(request: Promise<Result>): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError) {
      throw new Problem('unauthorized', `the provider refused: ${error.error}`);
    }
    if ((error as { code?: string }).code === 'OAUTH_TIMEOUT') {
      throw new Problem('upstream_timeout', 'the OpenID provider did not answer in time');
    }
    throw new Problem('upstream_error', 'the OpenID provider answered badly, or not at all');
  }
}
