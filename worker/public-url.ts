/** Where clients reach the gateway: what every absolute URL that it makes begins with. Contract §11, `PUBLIC_URL`. */
import type { Settings } from './settings.ts';

type Addresses = Pick<Settings, 'PUBLIC_URL' | 'OWN_URL'>;

/** What every route is below. Spec: "Versioning". */
export const BASE_PATH = '/api/v1';

/**
 * Without a slash at its end: the setting, or on loopback the address that the server listens on.
 * Undefined where neither is known: what a request says about it decides nothing.
 */
export function publicUrl({ PUBLIC_URL, OWN_URL }: Addresses): string | undefined {
  return PUBLIC_URL ?? OWN_URL;
}

/** A path of ours for `Location`: below the setting, else by itself. Spec silent. */
export function located({ PUBLIC_URL }: Addresses, path: string): string {
  return (PUBLIC_URL ?? '') + path;
}

/** What is before our paths where a proxy serves us below one of its own: empty, or such as `/gateway`. */
export function publicPrefix(settings: Addresses): string {
  const url = publicUrl(settings);
  return url === undefined ? '' : new URL(url).pathname.replace(/\/$/, '');
}
