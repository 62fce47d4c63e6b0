/** Reads how an index is reached: its origin and the key for it. */

import type { ConnectionEnvelope } from '../../proto/driver.ts';
import { invalid } from '../connection-options.ts';
import { NO_URL } from '../members.ts';
import { ApiKey, PineconeConnection } from './config.ts';

/** How to reach one index. Holds the key: never log it. */
export interface Settings {
  /** Such as `https://products-a1b2c3d.svc.aped-4627-b74a.pinecone.io`. */
  readonly origin: string;
  readonly apiKey: string;
}

/**
 * Settings of `{url}` and `api_key`. Plain `http:` is taken: the address decides whether it may be
 * reached.
 * @throws GatewayError INVALID_CONFIGURATION
 */
export function settingsOf({ connection, settings }: ConnectionEnvelope): Settings {
  const parts = PineconeConnection.safeParse(connection);
  if (!parts.success) throw invalid(NO_URL);
  const apiKey = ApiKey.safeParse(settings.api_key);
  if (!apiKey.success) throw invalid('An API key is required');
  const { url: text } = parts.data;
  if (!/^https?:\/\//i.test(text)) {
    throw invalid("The connection URL begins with https:// and names the index's host");
  }
  const url = URL.parse(text);
  if (!url) throw invalid('The connection URL cannot be read');
  if (url.username !== '' || url.password !== '') {
    throw invalid('The connection URL has no user: the key is api_key');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw invalid('The connection URL has no path and no options');
  }
  return { origin: url.origin, apiKey: apiKey.data };
}
